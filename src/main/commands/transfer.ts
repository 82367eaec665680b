import { restoreMarks } from '#areas/sending/sender.ts'
import { systemClock } from '#kernel/clock.ts'
import { described, distribute, planDistribution, type Table } from '#kernel/database/cluster/distribute.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { backup, move, restore } from '#kernel/database/transfer/transfer.ts'
import { joinStorage, openStorage, type Storage } from '../process/storage.ts'
import { migrationFolders, version } from '../project.ts'
import type { Settings } from '../settings/settings.ts'
import { type Command, progressLine } from './command.ts'

export const transferCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Write the whole database into one file; the service may go on',
    options: { file: { help: 'Where to write it', required: true } },
    run: (settings, { file = '' }, print) =>
      using(joinStorage(settings, print), async ({ url }) => {
        const progress = progressLine()
        const { rows } = await backup({ url, file, now: systemClock.now(), version, progress: progress.show })
        progress.end()
        print(
          `Backed up ${rows} rows into ${file}. Keep the secret keys with it: what they encrypted cannot be read without them.`,
        )
      }),
  },
  {
    name: 'restore',
    summary: 'Fill an empty database from such a file',
    options: { file: { help: 'The file to read', required: true } },
    run: (settings, { file = '' }, print) =>
      using(joinStorage(settings, print), async ({ url }) => {
        const progress = progressLine()
        const { rows } = await restore({ url, file, migrationFolders, marks: restoreMarks, progress: progress.show })
        progress.end()
        print(`Restored ${rows} rows.`)
      }),
  },
  {
    name: 'move',
    summary: 'Copy everything to another server, or from one',
    options: {
      to: { help: 'postgres:// address of an empty database to fill' },
      from: { help: 'postgres:// address of the database to fetch' },
    },
    run: async (settings, { to, from }, print) => {
      const other = to ?? from
      if (!other || (to && from)) throw new Error('chorus move needs either --to or --from.')
      await using(openStorage(settings, print), async ({ url }) => {
        const direction = to ? { from: url, to } : { from: other, to: url }
        await refuseWhileServing(
          direction.from,
          'A Chorus is using the database to be moved. Stop it first, so that nothing it writes is left behind.',
        )
        const progress = progressLine()
        const { rows } = await move({
          ...direction,
          migrationFolders,
          now: systemClock.now(),
          version,
          progress: progress.show,
        })
        progress.end()
        print(`Moved ${rows} rows. ${afterwards(settings, to)}`)
      })
    },
  },
]

const afterwards = ({ dataDir }: Settings, to: string | undefined) =>
  to
    ? `Start with CHORUS_DATABASE_URL=<that address> from now on, and keep ${dataDir}: it holds the secret keys.`
    : 'Start without CHORUS_DATABASE_URL to use it.'

async function using(opening: Promise<Storage>, work: (storage: Storage) => Promise<void>) {
  const storage = await opening
  try {
    await work(storage)
  } finally {
    await storage.close()
  }
}

/** A running service would bypass the changes made here. */
async function refuseWhileServing(url: string, sentence: string) {
  const busy = await ownerQuery<{ pid: number }>(
    url,
    `select pid from pg_stat_activity where datname = current_database() and application_name like 'chorus%' and pid <> pg_backend_pid()`,
  )
  if (busy.length > 0) throw new Error(sentence)
}

export const distributeCommands: readonly Command[] = [
  {
    name: 'distribute',
    summary: 'Lay the database out over the nodes of a Citus cluster',
    options: { plan: { help: 'Only say what would be done', flag: true } },
    async run({ databaseUrl }, { plan }, print) {
      if (!databaseUrl)
        throw new Error(
          'chorus distribute needs CHORUS_DATABASE_URL: the address of the coordinator of a Citus cluster.',
        )
      if (plan) return print(planned(await planDistribution(databaseUrl)))
      await refuseWhileServing(
        databaseUrl,
        'A Chorus is using the database. Stop it first: it would not see its rows while they change places.',
      )
      await migrate(databaseUrl, migrationFolders, print)
      const tables = await distribute(databaseUrl, print)
      print(
        tables.length === 0
          ? 'Every table lies where it belongs.'
          : `Laid out ${tables.length} tables. Start the service with the same address.`,
      )
    },
  },
]

function planned(tables: readonly Table[]): string {
  if (tables.length === 0) return 'Every table lies where it belongs. (Migrations that wait may add some.)'
  const lines = tables.map(({ name, place: location }) => `  ${name.padEnd(28)}to ${described(location)}`)
  return [`${tables.length} tables would be laid out; all others stay with the coordinator:`, ...lines].join('\n')
}
