import { sql } from 'kysely'
import { incrementCounters } from '#areas/counters/increments.ts'
import { closedIncrement, receivedIncrement, repliedIncrements } from '#areas/inbox/inbox-counters.ts'
import { activityIncrement, leadIncrement } from '#areas/leads/lead/lead.ts'
import type { Database } from '#kernel/database/database.ts'
import { demoAccount as accountId } from '../../../../tests/support/service.ts'

interface Among {
  profiles: readonly { id: string; network: string }[]
  campaigns: readonly string[]
  authors: readonly string[]
  /** Any time, also before earlier ones. */
  moment: () => Date
  chance: () => number
}

/** Random inbox items and leads, each with its increments in the recording transaction. */
export function randomActivity(database: Database, { profiles, campaigns, authors, moment: time, chance }: Among) {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(chance() * values.length)] as Value
  let numbered = 0
  const named = (prefix: string) => `${prefix}rr${String(numbered++).padStart(10, '0')}`

  /** An item per profile with messages, closings and replies. */
  async function inbox(count: number) {
    for (const profile of profiles) {
      const [id, group] = [named('eit'), { network: profile.network, credentialId: profile.id }]
      await database.transaction(accountId, async (db) => {
        const made = {
          accountId,
          id,
          created: time(),
          modified: time(),
          eventDate: time(),
          lastActivity: time(),
        }
        const kind = { itemType: 'Post', origin: 'owned', remoteKey: `comment:${id}`, personId: '' } as const
        await db
          .insertInto('inboxItems')
          .values({ ...made, ...group, ...kind })
          .execute()
        const entry = () => ({ accountId, id: named('eat'), itemId: id, created: time(), credentialId: profile.id })
        const received = Array.from({ length: count }, () => ({ ...entry(), type: 'comment', isOwn: false }) as const)
        const closed = Array.from({ length: count }, () => ({
          ...entry(),
          type: 'status' as const,
          isOwn: true,
          createdBy: pick(authors),
          details: JSON.stringify(chance() < 0.7 ? { from: 'open', to: 'closed' } : { from: 'closed', to: 'open' }),
        }))
        await db
          .insertInto('inboxEntries')
          .values([...received, ...closed])
          .execute()
        const replies = Array.from({ length: count }, () => ({
          accountId,
          id: named('0ir'),
          itemId: id,
          created: time(),
          createdBy: pick(authors),
          ...group,
          kind: 'comment' as const,
          text: '',
          status: 'sent' as const,
          sent: time(),
          responseSeconds: chance() < 0.4 ? null : Math.floor(chance() * chance() * 90_000),
        }))
        await db.insertInto('inboxReplies').values(replies).execute()
        await incrementCounters({ db, accountId }, [
          ...received.map(({ created: at }) => receivedIncrement({ accountId }, { ...group, at })),
          ...closed
            .filter(({ details }) => details.endsWith('"closed"}'))
            .map(({ createdBy: userId, created: now }) => closedIncrement({ accountId, userId, now }, group)),
          ...replies.flatMap((reply) =>
            repliedIncrements({ accountId }, reply, reply.sent, reply.responseSeconds ?? undefined),
          ),
        ])
      })
    }
  }

  /** Leads with activities. */
  async function leads(count: number) {
    const where = () => ({
      network: pick([...profiles.map(({ network }) => network), '']),
      campaignId: pick(campaigns),
    })
    await database.transaction(accountId, async (db) => {
      const people = Array.from({ length: count }, () => ({
        accountId,
        id: named('0ld'),
        created: time(),
        modified: time(),
        ...where(),
      }))
      await db.insertInto('leads').values(people).execute()
      const done = people.flatMap(({ id: leadId }) =>
        Array.from({ length: Math.floor(chance() * 4) }, () => ({
          accountId,
          id: named('0la'),
          leadId,
          activityDate: time(),
          type: 'comment',
          source: named('rr'),
          ...where(),
        })),
      )
      await db.insertInto('leadActivities').values(done).execute()
      await incrementCounters({ db, accountId }, [...people.map(leadIncrement), ...done.map(activityIncrement)])
    })
  }

  /** Deletes rows without adjusting counters: only a rebuild detects it. */
  const lose = (share: number) =>
    database.transaction(accountId, async (db) => {
      await sql`delete from inbox_entries where account_id = ${accountId} and id like 'eatrr%' and ascii(right(id, 1)) % 10 < ${share}`.execute(
        db,
      )
      await sql`delete from inbox_replies where account_id = ${accountId} and id like '0irrr%' and ascii(right(id, 1)) % 10 < ${share}`.execute(
        db,
      )
    })

  return { inbox, leads, lose }
}
