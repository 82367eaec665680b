import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount } from '../../../../tests/support/service.ts'

/** One activity, in the form all queries here use. */
const one = (at: string, network: string, profile: string, campaign: string, country: string, author: string) =>
  `${at} as at, ${network} as network, ${profile} as profile, ${campaign} as campaign, ${country} as country, ${author} as author`

const inboxEntries = (condition: string) =>
  `select ${one('e.created', 'i.network', 'i.credential_id', `''`, `''`, 'e.created_by')}, 1 as amount
   from inbox_entries e join inbox_items i on i.account_id = e.account_id and i.id = e.item_id where e.account_id = $1 and ${condition}`
const inboxReplies = (amount: string) =>
  `select ${one('sent', 'network', 'credential_id', `''`, `''`, 'created_by')}, ${amount} as amount from inbox_replies where account_id = $1 and sent is not null`
const deletedLeads = (name: string) =>
  `union all select ${one('quarter', 'network', `''`, 'campaign_id', `''`, `''`)}, n.amount from deleted_lead_counts d
   cross join lateral (select 1 as amount from generate_series(1, d.amount)) n where account_id = $1 and name = '${name}'`

/** Every tested measure: its source, dimensions, and what it counts. */
export const measures = {
  clicks: {
    source: 'click',
    dimensions: ['network', 'profile', 'campaign', 'country', 'tag', 'team'],
    facts: `select ${one('created', 'network', 'credential_id', 'campaign_id', 'country', `''`)}, 1 as amount from clicks where account_id = $1 and class = 'human'`,
  },
  conversions: {
    source: 'conversion',
    dimensions: ['network', 'profile', 'campaign', 'country', 'tag', 'team'],
    facts: `select ${one('v.created', 'network', 'credential_id', 'campaign_id', 'country', `''`)}, 1 as amount
      from conversions v join clicks c on c.account_id = v.account_id and c.id = v.click_id where v.account_id = $1`,
  },
  received: { source: 'inbox', dimensions: ['network', 'profile', 'author'], facts: inboxEntries('not is_own') },
  closed: {
    source: 'inbox',
    dimensions: ['network', 'profile', 'author'],
    facts: inboxEntries(`type = 'status' and details->>'to' = 'closed'`),
  },
  replied: { source: 'inbox', dimensions: ['network', 'profile', 'author'], facts: inboxReplies('1') },
  responseTime: {
    source: 'inbox',
    dimensions: ['network', 'profile', 'author'],
    facts: `${inboxReplies('response_seconds')} and response_seconds is not null`,
    average: true,
  },
  leads: {
    source: 'lead',
    dimensions: ['network', 'campaign', 'tag', 'team'],
    facts: `select ${one('created', 'network', `''`, 'campaign_id', `''`, `''`)}, 1 as amount from leads where account_id = $1 ${deletedLeads('leads')}`,
  },
  activities: {
    source: 'lead',
    dimensions: ['network', 'campaign', 'tag', 'team'],
    facts: `select ${one('activity_date', 'network', `''`, 'campaign_id', `''`, `''`)}, 1 as amount from lead_activities where account_id = $1 ${deletedLeads('leadActivities')}`,
  },
} as const satisfies Record<string, { source: string; dimensions: readonly string[]; facts: string; average?: true }>

export type MeasureName = keyof typeof measures

export interface SlowReportRequest {
  measure: MeasureName
  unit: 'hour' | 'day' | 'week' | 'month' | undefined
  dimension: string | undefined
  from: string
  to: string
  filters: { [name: string]: string }
}

/** Reference implementation: from single rows, in PostgreSQL's own time zones. */
export async function referenceReport(
  databaseUrl: string,
  zone: string,
  request: SlowReportRequest,
  hiddenCampaign?: string,
) {
  const { unit, dimension, from, to, filters, measure } = request
  const time = {
    hour: `to_char(date_trunc('hour', at at time zone $2), 'YYYY-MM-DD"T"HH24:MI') || ' ' || (extract(epoch from (at at time zone $2) - (at at time zone 'UTC')) / 60)::int`,
    day: `to_char(at at time zone $2, 'YYYY-MM-DD')`,
    week: `to_char(date_trunc('week', at at time zone $2), 'YYYY-MM-DD')`,
    month: `to_char(at at time zone $2, 'YYYY-MM')`,
  }[unit ?? 'day']
  const columns: { [name: string]: string } = { tag: `coalesce(t.tag_id, '')`, team: `coalesce(e.team_id, '')` }
  const joins: { [name: string]: string } = {
    tag: 'left join entity_tags t on t.account_id = $1 and t.entity_id = campaign',
    team: 'left join team_entities e on e.account_id = $1 and e.entity_id = campaign',
  }
  const { tag, ...plain } = filters
  const conditions = [
    ...Object.entries(plain).map(([name, value]) => `${name} = '${value}'`),
    ...(tag
      ? [
          `exists (select from entity_tags x where x.account_id = $1 and x.entity_id = campaign and x.tag_id = '${tag}')`,
        ]
      : []),
    ...(hiddenCampaign ? [`campaign <> '${hiddenCampaign}'`] : []),
  ]
  const value = 'average' in measures[measure] ? 'round(avg(amount), 4)::float' : 'sum(amount)::int'
  const rows = await ownerQuery<{ time: string; value: string; amount: number }>(
    databaseUrl,
    `select ${unit ? time : `''`} as time, ${dimension ? (columns[dimension] ?? dimension) : `''`} as value, ${value} as amount
     from (${measures[measure].facts}) c ${joins[dimension ?? ''] ?? ''}
     where (at at time zone $2)::date between $3::date and $4::date ${conditions.map((each) => `and ${each}`).join(' ')} group by 1, 2`,
    [demoAccount, zone, from, to],
  )
  const counted = rows.filter(({ amount }) => amount !== 0)
  return new Map(counted.map(({ time: at, value: of, amount }) => [`${at} ${of}`, amount]))
}
