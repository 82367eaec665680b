import { type Database, type DatabaseOptions, openDatabase } from '#kernel/database/database.ts'

/** A database handle with long timeouts, for tests on busy machines. */
export const openPatientDatabase = (options: Pick<DatabaseOptions, 'url' | 'connections'>): Database =>
  openDatabase({ ...options, patience: 60_000, statementTimeout: 120_000 })
