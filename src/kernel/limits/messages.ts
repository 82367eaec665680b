import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** What the processes tell each other. Nothing here is the truth; a lost message costs time, never exactness. */
export type Message =
  /** Heard by its own sender: whatever was told before it has been heard as well. */
  | { kind: 'beat'; from: string; number: number; begun: number }
  | { kind: 'arrived' | 'reckoned' | 'closed'; from: string }
  | { kind: 'share' | 'handedIn'; from: string; accountId: string; userId: string }
  | { kind: 'blocked'; from: string; accountId: string; userId: string; until: number }

export const channel = 'call_limits'

/** Reaches every process, this one included, once the transaction it is part of has committed. */
export async function tell(db: Db, message: Message) {
  await sql`select pg_notify(${channel}, ${JSON.stringify(message)})`.execute(db)
}
