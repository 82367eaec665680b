import { type Selectable, sql } from 'kysely'
import { type Increment, incrementCounters } from '#areas/counters/increments.ts'
import { type InnerEvents, scopesOf } from '#areas/events/event.ts'
import { withDetails } from '#areas/links/click/click.ts'
import { claimClicks, setLead } from '#areas/links/conversion/conversion.ts'
import type { Context, Emitted, Scopes } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import type { LeadActivities } from '#kernel/database/tables.ts'
import { missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { leadIds } from '../declarations.ts'
import { capture } from '../lead/capture.ts'
import { announceActivities } from '../lead/lead.events.ts'
import { activityIncrement } from '../lead/lead.ts'
import type { ActivityType } from '../lead/lead-shape.ts'
import { emailIn, type PersonSnapshot, phoneIn } from '../lead/person.ts'

type ActivityRow = Selectable<LeadActivities>

export function search(context: Context, { leadId = '', page }: { leadId?: string | undefined; page: Page }) {
  const matching = visible(context).$if(leadId !== '', (rows) => rows.where('leadId', '=', leadId))
  return paginate(matching, page)
}

/** Deletes an activity that is wrong; it no longer counts. */
export async function remove(context: Context, { id, leadId = '' }: { id: string; leadId?: string }) {
  const { db, accountId } = context
  const removed = await db
    .deleteFrom('leadActivities')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .$if(leadId !== '', (rows) => rows.where('leadId', '=', leadId))
    .returningAll()
    .executeTakeFirst()
  if (!removed) throw missing('Lead activity')
  await incrementCounters(context, [{ ...activityIncrement(removed), amount: -1 }])
}

/** An activity of a lead. */
export interface NewActivity {
  leadId: string
  type: ActivityType
  activityDate: Date
  network: string
  /** Our profile that was involved. */
  profileId: string
  postlogId: string | null
  campaignId: string
  /** Campaigns of the post or link and of its message; none for a direct message. */
  scopes: Scopes
  data: object
  /** Identical for the same activity: stored and published once. */
  source: string
}

/** Stores new activities and publishes their events. Returns the counter increments, which the caller applies last. */
async function addActivities(context: Context, activities: readonly NewActivity[]): Promise<Increment[]> {
  if (activities.length === 0) return []
  const { db, accountId, now } = context
  const column = <Value>(read: (one: NewActivity) => Value) => activities.map(read)
  const { rows } = await sql<ActivityRow>`
    insert into lead_activities (account_id, id, lead_id, activity_date, type, network, profile_id, postlog_id, campaign_id, data, source)
    select ${accountId}, d.id, d.lead_id, d.activity_date, d.type, d.network, d.profile_id, d.postlog_id, d.campaign_id, d.data::jsonb, d.source
    from unnest(${column(() => newId(leadIds.leadActivity, now))}::text[], ${column((one) => one.leadId)}::text[],
      ${column((one) => one.activityDate)}::timestamptz[], ${column((one) => one.type)}::text[], ${column((one) => one.network)}::text[],
      ${column((one) => one.profileId)}::text[], ${column((one) => one.postlogId)}::text[],
      ${column((one) => one.campaignId)}::text[], ${column((one) => JSON.stringify(one.data))}::text[], ${column((one) => one.source)}::text[])
      as d (id, lead_id, activity_date, type, network, profile_id, postlog_id, campaign_id, data, source)
    order by d.source
    on conflict (account_id, source) do nothing
    returning *`.execute(db)
  const scopes = new Map(activities.map((one) => [one.source, one.scopes]))
  await announceActivities(
    context,
    rows
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .map((row) => ({ ...row, scopes: scopes.get(row.source) ?? [] })),
  )
  return rows.map(activityIncrement)
}

const visible = ({ db, accountId }: Context) =>
  db
    .selectFrom('leadActivities')
    .select(['id', 'activityDate', 'accountId', 'leadId', 'type', 'network', 'profileId', 'postlogId', 'data'])
    .where('accountId', '=', accountId)

interface Identified {
  clickId: string
  conversionTagId: string
  email: string
  network: string
  campaignId: string
}

/** A page reported a converted email address: its clicks now belong to a lead. */
export async function captureConversions(context: Context, events: readonly Emitted<Identified>[]) {
  const snapshots = events.map(({ data: { email, network, campaignId } }) => ({
    email,
    name: '',
    photo: '',
    phone: '',
    network,
    campaignId,
  }))
  const { leads, increments } = await capture(context, snapshots)
  for (const [index, { data, at }] of events.entries()) {
    const lead = leads[index]
    if (!lead) continue
    await setLead(context, data, lead.id)
    const clicks = await withDetails(context, await claimClicks(context, data.clickId, lead.id))
    if (!lead.isTracked) continue
    const click = clicks.find(({ id }) => id === data.clickId)
    const done = await addActivities(context, [
      ...clicks.map((one) => clickActivity(one, lead.id)),
      ...(click ? [conversionActivity(click, lead.id, data.conversionTagId, at)] : []),
    ])
    increments.push(...done)
  }
  await incrementCounters(context, increments)
}

type Click = Awaited<ReturnType<typeof withDetails>>[number]

const clickActivity = (click: Click, leadId: string): NewActivity => ({
  leadId,
  type: 'click',
  activityDate: click.created,
  source: `click/${click.id}`,
  network: click.network,
  profileId: click.credentialId,
  postlogId: click.postlogId || null,
  campaignId: click.campaignId,
  scopes: scopesOf(click.campaignId, click.messageCampaignId),
  data: { ClickId: click.id, LinkId: click.linkId, CampaignId: click.campaignId, LinkUrl: click.linkUrl },
})

const conversionActivity = (click: Click, leadId: string, tagId: string, at: Date): NewActivity => ({
  ...clickActivity(click, leadId),
  type: 'conversion',
  activityDate: at,
  source: `conversion/${click.id}/${tagId}`,
  data: { ClickId: click.id, LinkId: click.linkId, CampaignId: click.campaignId, ConversionTagId: tagId },
})

type IncomingActivity = InnerEvents['inboxEntryArrived']

/** Creates leads and activities for incoming messages, shares and likes with an email address or a known profile. */
export async function captureEntries(context: Context, events: readonly Emitted<IncomingActivity>[]) {
  const known = await knownProfiles(context, events)
  const published = events.flatMap(({ data }) => {
    const email = textKinds.has(data.kind) ? emailIn(data.text) : ''
    return email !== '' || known.has(keyOf(data)) ? [{ data, email }] : []
  })
  const campaigns = await campaignsOf(
    context,
    published.map(({ data }) => data.postlogId),
  )
  const campaignOf = ({ postlogId }: IncomingActivity) => campaigns.get(postlogId) ?? ''
  const { leads, increments } = await capture(
    context,
    published.map(({ data, email }) => snapshotOf(data, email, campaignOf(data))),
  )
  const done = await addActivities(
    context,
    published.flatMap(({ data }, index) => {
      const lead = leads[index]
      return lead?.isTracked ? [activityOf(lead.id, data, campaignOf(data))] : []
    }),
  )
  await incrementCounters(context, [...increments, ...done])
}

/** Kinds with a text; likes have none. */
const textKinds: ReadonlySet<string> = new Set<IncomingActivity['kind']>([
  'comment',
  'reply',
  'mention',
  'message',
  'share',
])

const keyOf = ({ network, personId }: IncomingActivity) => `${network} ${personId}`

async function knownProfiles(
  { db, accountId }: Context,
  events: readonly Emitted<IncomingActivity>[],
): Promise<Set<string>> {
  const column = (read: (data: IncomingActivity) => string) => events.map(({ data }) => read(data))
  const { rows } = await sql<{ key: string }>`
    select p.network || ' ' || p.remote_id as key from lead_profiles p
    where p.account_id = ${accountId} and (p.network, p.remote_id) in (
      select * from unnest(${column((one) => one.network)}::text[], ${column((one) => one.personId)}::text[]))`.execute(
    db,
  )
  return new Set(rows.map(({ key }) => key))
}

/** Campaigns of the posts, by postlog id. */
async function campaignsOf({ db, accountId }: Context, postlogIds: readonly string[]): Promise<Map<string, string>> {
  const ids = postlogIds.filter((id) => id !== '')
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('postlogs')
    .select(['id', 'campaignId'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, campaignId }) => [id, campaignId]))
}

const snapshotOf = (data: IncomingActivity, email: string, campaignId: string): PersonSnapshot => ({
  email,
  name: data.personName,
  photo: data.personPicture,
  phone: phoneIn(data.text),
  network: data.network,
  campaignId,
  ...(data.personId !== '' && {
    profile: { network: data.network, remoteId: data.personId, username: data.personUsername },
  }),
})

const activityOf = (
  leadId: string,
  { kind, at, network, credentialId, postlogId, text, itemId, entryId }: IncomingActivity,
  campaignId: string,
) => ({
  leadId,
  type: kind,
  activityDate: new Date(at),
  source: `entry/${entryId}`,
  network,
  profileId: credentialId,
  postlogId: postlogId || null,
  campaignId,
  scopes: scopesOf(campaignId),
  data: { ...(text !== '' && { Text: text }), ItemId: itemId },
})
