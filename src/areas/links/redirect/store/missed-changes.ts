import { sql } from 'kysely'
import type { Database } from '#kernel/database/database.ts'

export interface MissedChangesOptions {
  database: Database
  /** Is told the links that were changed lately, of many of which it knows already. */
  forget(hash: string): void
  report(error: unknown): void
  every?: number | undefined
}

export interface MissedChanges {
  /** Looks now, because something may have been missed. */
  look(): void
  close(): void
}

const usually = 10_000

/**
 * Announcements are hints: a connection can be dead for minutes before anybody notices. What was changed since the last look, and a
 * minute before it because a change is dated when its transaction begins, is therefore looked for every few seconds.
 */
export function watchMissedChanges({ database, forget, report, every = usually }: MissedChangesOptions): MissedChanges {
  let since: Date | undefined
  let looking = false
  let again = false
  let closed = false

  const lookOnce = async () => {
    const { rows } = await sql<{ next: Date; hashes: string[] }>`
      select now() - interval '1 minute' as next,
        array(select hash from link_hashes where changed > ${since ?? null}::timestamptz) as hashes`.execute(
      database.shared,
    )
    const [{ next, hashes } = { next: since, hashes: [] }] = rows
    for (const hash of hashes) forget(hash)
    since = next
  }
  const look = async () => {
    again = true
    if (looking) return
    looking = true
    while (again) {
      again = false
      await lookOnce().catch((error) => closed || report(error))
    }
    looking = false
  }
  void look()
  const timer = setInterval(look, every).unref()
  return {
    look: () => void look(),
    close() {
      closed = true
      clearInterval(timer)
    },
  }
}
