import { beginRebuild, rebuildSome } from '#areas/figures/rebuild.ts'
import { listAccounts } from '../process/accounts.ts'
import { registry } from '../registry.ts'
import type { Command } from './command.ts'
import { countingLine } from './command.ts'
import { withDatabase } from './database.ts'

export const figuresCommands: readonly Command[] = [
  {
    name: 'figures rebuild',
    summary:
      'Recount clicks, conversions, posts, shares, the inbox and leads, and correct the figures of reports; the service may run',
    options: { account: { help: 'Only this account (001…); all when left out' } },
    run: (settings, { account }, say) =>
      withDatabase(settings, say, async ({ url, see, act }) => {
        const accounts = (await listAccounts(url)).map(({ id }) => id).filter((id) => !account || id === account)
        if (account && accounts.length === 0) throw new Error(`There is no account ${account}.`)
        const progress = countingLine()
        let days = 0
        try {
          for (const [index, id] of accounts.entries()) {
            await act(id, { command: 'figures rebuild', id }, beginRebuild)
            // One day per transaction: an interrupted command, or the service itself, continues from there.
            let state = await see(id, (context) => rebuildSome(context, registry.recounts))
            while (state) {
              days++
              progress.show(`account ${index + 1} of ${accounts.length}, ${id}: ${state.days} of ${state.of} days`)
              if (state.isDone) break
              state = await see(id, (context) => rebuildSome(context, registry.recounts))
            }
          }
        } finally {
          progress.end()
        }
        say(`Recounted ${days} days of ${accounts.length} ${accounts.length === 1 ? 'account' : 'accounts'}.`)
      }),
  },
]
