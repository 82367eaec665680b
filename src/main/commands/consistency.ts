import { keysBegin } from '#areas/analytics/export/run/run-files.ts'
import { beginRebuild, rebuildSome } from '#areas/counters/rebuild.ts'
import { checkFiles, countFiles, unreferencedFiles } from '#areas/media/file/check-files.ts'
import { listAccounts, openFiles } from '../process/storage.ts'
import { registry } from '../registry.ts'
import { type Command, progressCounter, withDatabase } from './command.ts'

const oneOrAll = { help: 'Only this account (001…); all when left out' }

export const filesCommands: readonly Command[] = [
  {
    name: 'files check',
    summary: 'Read every stored file and tell which are missing or damaged, and which nobody refers to',
    options: { account: oneOrAll },
    run: (settings, { account }, print) =>
      withDatabase(settings, print, async ({ url, database }) => {
        const files = openFiles(settings)
        const installation = { database, store: files.store }
        const accounts = await accountIdsOf(url, account)
        const totals = await Promise.all(accounts.map((id) => countFiles(installation, id)))
        const total = { files: sum(totals, 'files'), bytes: sum(totals, 'bytes') }
        const progress = progressCounter()
        const done = { files: 0, bytes: 0, damaged: 0, stray: 0 }
        try {
          for (const id of accounts) {
            for await (const { bytes, damage } of checkFiles(installation, id)) {
              done.files++
              done.bytes += bytes
              progress.show(
                `checked ${done.files} of ${total.files} files, ${size(done.bytes)} of ${size(total.bytes)}`,
              )
              if (!damage) continue
              done.damaged++
              print(`${id}  ${damage.mediaIds.join(', ')}  ${damage.problem}  (${damage.digest})`)
            }
          }
          for await (const key of unreferencedFiles(installation, account, [keysBegin])) {
            done.stray++
            print(`${key}  nobody refers to it; it may be arriving at this moment`)
          }
        } finally {
          progress.end()
          await files.inspector.close()
        }
        print(`Checked ${done.files} files, ${size(done.bytes)}. Nobody refers to: ${done.stray}.`)
        if (done.damaged > 0) throw new Error(`Missing or damaged: ${done.damaged} of ${done.files} files.`)
      }),
  },
]

export const countersCommands: readonly Command[] = [
  {
    name: 'counters rebuild',
    summary:
      'Recount clicks, conversions, posts, shares, the inbox and leads, and correct the counters of reports; the service may run',
    options: { account: oneOrAll },
    run: (settings, { account }, print) =>
      withDatabase(settings, print, async ({ url, see, act }) => {
        const accounts = await accountIdsOf(url, account)
        const progress = progressCounter()
        let days = 0
        try {
          for (const [index, id] of accounts.entries()) {
            await act(id, { command: 'counters rebuild', id }, beginRebuild)
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
        print(`Recounted ${days} days of ${accounts.length} ${accounts.length === 1 ? 'account' : 'accounts'}.`)
      }),
  },
]

/** The account of the option, or all. */
async function accountIdsOf(url: string, account: string | undefined): Promise<string[]> {
  const ids = (await listAccounts(url)).map(({ id }) => id).filter((id) => !account || id === account)
  if (account && ids.length === 0) throw new Error(`There is no account ${account}.`)
  return ids
}

const sum = <Name extends string>(rows: readonly Record<Name, number>[], name: Name) =>
  rows.reduce((total, row) => total + row[name], 0)

const size = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
