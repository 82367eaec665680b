import { sql } from 'kysely'
import type { Db } from './database.ts'
import type { Listener } from './listener.ts'

/** Collects what a transaction announces: other processes hear it by NOTIFY at the commit, this one is told right after. */
export function announcer(db: Db) {
  const announced: [channel: string, payload: string][] = []
  return {
    async announce(channel: string, payload: string) {
      await sql`select pg_notify(${channel}, ${payload})`.execute(db)
      announced.push([channel, payload])
    },
    tell(listener: Listener) {
      for (const [channel, payload] of announced) listener.tell(channel, payload)
    },
  }
}
