import type { Table } from '#kernel/database/cluster/distribute.ts'
import { described, distribute, planDistribution } from '#kernel/database/cluster/distribute.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { migrationFolders } from '../project.ts'
import type { Command } from './command.ts'
import { refuseWhileServing } from './transfer.ts'

export const distributeCommands: readonly Command[] = [
  {
    name: 'distribute',
    summary: 'Lay the database out over the nodes of a Citus cluster',
    options: { plan: { help: 'Only say what would be done', flag: true } },
    async run({ databaseUrl }, { plan }, say) {
      if (!databaseUrl)
        throw new Error(
          'chorus distribute needs CHORUS_DATABASE_URL: the address of the coordinator of a Citus cluster.',
        )
      if (plan) return say(planned(await planDistribution(databaseUrl)))
      await refuseWhileServing(
        databaseUrl,
        'A Chorus is using the database. Stop it first: it would not see its rows while they change places.',
      )
      await migrate(databaseUrl, migrationFolders, say)
      const tables = await distribute(databaseUrl, say)
      say(
        tables.length === 0
          ? 'Every table lies where it belongs.'
          : `Laid out ${tables.length} tables. Start the service with the same address.`,
      )
    },
  },
]

function planned(tables: readonly Table[]): string {
  if (tables.length === 0) return 'Every table lies where it belongs. (Migrations that wait may add some.)'
  const lines = tables.map(({ name, place }) => `  ${name.padEnd(28)}to ${described(place)}`)
  return [`${tables.length} tables would be laid out; all others stay with the coordinator:`, ...lines].join('\n')
}
