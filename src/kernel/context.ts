import type { Db } from './database/database.ts'
import type { Role } from './permissions.ts'

/** Who asks, when, and the one database handle to answer with. */
export interface Context {
  readonly db: Db
  readonly accountId: string
  readonly userId: string
  readonly role: Role
  readonly now: Date
  /** Tells every process, once the change is committed, that what it remembers of something is out of date. */
  readonly announce: (channel: string, payload: string) => Promise<void>
}
