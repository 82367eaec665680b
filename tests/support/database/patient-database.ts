import { type Database, type DatabaseOptions, openDatabase } from '#kernel/database/database.ts'

/** A database as a service opens it, for tests that call the code behind the endpoints: on a busy machine nobody is refused. */
export const openPatientDatabase = (options: Pick<DatabaseOptions, 'url' | 'connections'>): Database =>
  openDatabase({ ...options, patience: 60_000, statementTimeout: 120_000 })
