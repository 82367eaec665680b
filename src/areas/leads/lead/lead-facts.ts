import { type Selectable, sql } from 'kysely'
import { type Fact, quarter } from '#areas/figures/add-facts.ts'
import { placed } from '#areas/figures/figure.ts'
import type { Context } from '#kernel/context.ts'
import type { LeadActivities } from '#kernel/database/tables.ts'
import type { LeadRow } from './lead-row.ts'

type CountedLead = Pick<LeadRow, 'accountId' | 'created' | 'network' | 'campaignId'>
type CountedActivity = Pick<Selectable<LeadActivities>, 'accountId' | 'activityDate' | 'network' | 'campaignId'>

/** Somebody became known. */
export const leadFact = ({ accountId, created: at, network, campaignId: campaign }: CountedLead): Fact => ({
  ...{ name: 'leads', at },
  of: placed(accountId, { network, campaign }),
})

/** Somebody who is known did something. */
export const activityFact = ({ accountId, activityDate: at, network, campaignId }: CountedActivity): Fact => ({
  ...{ name: 'leadActivities', at },
  of: placed(accountId, { network, campaign: campaignId }),
})

/** Keeps how much was counted of a lead that is deleted, and nothing else: a recount says the same without them. */
export async function keepCounted(
  { db, accountId }: Context,
  lead: CountedLead,
  activities: readonly CountedActivity[],
) {
  const kept = new Map<string, Kept>()
  const keep = (name: Kept['name'], at: Date, { network, campaignId }: { network: string; campaignId: string }) => {
    const moment = new Date(Math.floor(at.getTime() / quarter) * quarter)
    const key = [moment.toISOString(), name, network, campaignId].join(' ')
    kept.set(key, { name, moment, network, campaignId, amount: (kept.get(key)?.amount ?? 0) + 1 })
  }
  keep('leads', lead.created, lead)
  for (const activity of activities) keep('leadActivities', activity.activityDate, activity)
  // In the order of their keys: who deletes others at the same moment waits in no circle.
  const rows = [...kept].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)
  const column = <Value>(read: (row: Kept) => Value) => rows.map(read)
  await sql`
    insert into deleted_lead_facts as d (account_id, quarter, name, network, campaign_id, amount)
    select ${accountId}, k.* from unnest(${column(({ moment }) => moment)}::timestamptz[], ${column(({ name }) => name)}::text[],
      ${column(({ network }) => network)}::text[], ${column(({ campaignId }) => campaignId)}::text[],
      ${column(({ amount }) => amount)}::int[]) as k
    on conflict (account_id, quarter, name, network, campaign_id) do update set amount = d.amount + excluded.amount
    returning 1`.execute(db)
}

interface Kept {
  name: 'leads' | 'leadActivities'
  moment: Date
  network: string
  campaignId: string
  amount: number
}
