import { sql } from 'kysely'
import type { Database, Db } from '#kernel/database/database.ts'
import type { Log } from '#kernel/log.ts'
import type { Network } from '#networks/manifests.ts'

/** When a network last verified the webhook URL, and last delivered an event with a valid signature. */
export interface WebhookCalls {
  challenged: Date | null
  delivered: Date | null
}

/** There may be thousands of deliveries, and the single row must not become a point of contention. */
const every = 60_000

/** Records the times of network calls, at most once a minute per kind and process. */
export function openWebhookNotes({ database, log }: { database: Database; log: Log }) {
  const noted = new Map<string, number>()
  return async (network: Network, kind: keyof WebhookCalls, at: Date): Promise<void> => {
    const key = `${network} ${kind}`
    const before = noted.get(key)
    // A clock that was set back must not stop the recording.
    if (before !== undefined && Math.abs(at.getTime() - before) < every) return
    noted.set(key, at.getTime())
    const [challenged, delivered] = kind === 'challenged' ? [at, null] : [null, at]
    try {
      await sql`
        insert into network_challenges (network, challenged, delivered) values (${network}, ${challenged}, ${delivered})
        on conflict (network) do update set challenged = greatest(network_challenges.challenged, excluded.challenged),
          delivered = greatest(network_challenges.delivered, excluded.delivered)`.execute(database.shared)
    } catch (error) {
      // The network still gets its response, and the next call is recorded.
      noted.delete(key)
      log.warn({ err: error, network }, 'a webhook call could not be noted')
    }
  }
}

export async function readWebhookCalls(db: Db): Promise<Map<string, WebhookCalls>> {
  const rows = await db.selectFrom('networkChallenges').selectAll().execute()
  return new Map(rows.map(({ network, challenged, delivered }) => [network, { challenged, delivered }]))
}
