import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { idPrefixes } from '#kernel/ids.ts'

interface Told {
  id: string
  /** JSON, as it is sent. */
  data: string
}

/** Those of the events that tell of nothing the caller's teams may not see. */
export async function seenEvents<Event extends Told>(context: Context, events: readonly Event[]): Promise<Event[]> {
  if (context.role === 'admin') return [...events]
  const named = new Map(events.map(({ id, data }) => [id, idsIn(data)]))
  const seen = await standingOf(context, [...new Set([...named.values()].flat())])
  return events.filter(({ id }) => {
    const ids = named.get(id) ?? []
    const namesCampaign = ids.some((one) => one.startsWith(campaign))
    // What is gone by now belonged to the campaign that is named beside it; without one, nobody can tell whose it was.
    return ids.every((one) => seen.get(one) ?? (namesCampaign && !one.startsWith(campaign)))
  })
}

const { campaign, workflow, post, message } = idPrefixes
const scoped = new Set<string>([campaign, workflow, post, message])
const prefixLength = campaign.length

const idsIn = (data: string): string[] =>
  [...data.matchAll(/"([0-9A-Za-z]{15})"/g)]
    .map(([, id = '']) => id)
    .filter((id) => scoped.has(id.slice(0, prefixLength)))

/** Of each that there is, whether the caller sees it. */
async function standingOf(context: Context, ids: readonly string[]): Promise<Map<string, boolean>> {
  if (ids.length === 0) return new Map()
  const { accountId, db } = context
  const { rows } = await sql<{ id: string; isSeen: boolean }>`
    select found.id, ${withinTeams(context, 'found.scope')} as is_seen from (
      select id, id as scope from campaigns where account_id = ${accountId} and id = any (${ids})
      union all select id, id from workflows where account_id = ${accountId} and id = any (${ids})
      union all select id, campaign_id from posts where account_id = ${accountId} and id = any (${ids})
      union all select id, campaign_id from messages where account_id = ${accountId} and id = any (${ids})) found`.execute(
    db,
  )
  return new Map(rows.map(({ id, isSeen }) => [id, isSeen]))
}
