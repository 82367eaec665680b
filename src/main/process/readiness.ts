import type { Db } from '#kernel/database/database.ts'
import { isMigrated } from '#kernel/database/schema/migrate.ts'
import { migrationFolders } from '../project.ts'

/** Why a process can't serve requests at the moment; undefined if it can. */
export async function obstacleOf(shared: Db, draining: boolean): Promise<string | undefined> {
  if (draining) return 'The process is stopping.'
  const applied = async () => {
    const rows = await shared.selectFrom('migrations').select('name').orderBy('name').execute()
    return rows.map(({ name }) => name)
  }
  try {
    return (await isMigrated(applied, migrationFolders))
      ? undefined
      : 'The database has other migrations than this version knows.'
  } catch {
    return 'The database cannot be reached.'
  }
}
