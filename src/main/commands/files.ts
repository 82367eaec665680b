import { keysBegin } from '#areas/analytics/export/run/run-files.ts'
import { checkFiles, countFiles, strayFiles } from '#areas/media/file/check-files.ts'
import { listAccounts } from '../process/accounts.ts'
import { openFiles } from '../process/storage.ts'
import { type Command, countingLine } from './command.ts'
import { withDatabase } from './database.ts'
export const filesCommands: readonly Command[] = [
  {
    name: 'files check',
    summary: 'Read every stored file and tell which are missing or damaged, and which nobody refers to',
    options: { account: { help: 'Only this account (001…); all when left out' } },
    run: (settings, { account }, say) =>
      withDatabase(settings, say, async ({ url, database }) => {
        const files = openFiles(settings)
        const installation = { database, store: files.store }
        const accounts = (await listAccounts(url)).map(({ id }) => id).filter((id) => !account || id === account)
        if (account && accounts.length === 0) throw new Error(`There is no account ${account}.`)
        const totals = await Promise.all(accounts.map((id) => countFiles(installation, id)))
        const total = { files: sum(totals, 'files'), bytes: sum(totals, 'bytes') }
        const progress = countingLine()
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
              say(`${id}  ${damage.mediaIds.join(', ')}  ${damage.problem}  (${damage.digest})`)
            }
          }
          for await (const key of strayFiles(installation, account, [keysBegin])) {
            done.stray++
            say(`${key}  nobody refers to it; it may be arriving at this moment`)
          }
        } finally {
          progress.end()
          await files.inspector.close()
        }
        say(`Checked ${done.files} files, ${size(done.bytes)}. Nobody refers to: ${done.stray}.`)
        if (done.damaged > 0) throw new Error(`Missing or damaged: ${done.damaged} of ${done.files} files.`)
      }),
  },
]

const sum = <Name extends string>(rows: readonly Record<Name, number>[], name: Name) =>
  rows.reduce((total, row) => total + row[name], 0)

const size = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`
