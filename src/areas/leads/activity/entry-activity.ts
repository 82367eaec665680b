import { sql } from 'kysely'
import type { InnerEvents } from '#areas/events/catalogue/inner-events.ts'
import { scopesOf } from '#areas/events/event.ts'
import { addFacts } from '#areas/figures/add-facts.ts'
import type { Context, Emitted } from '#kernel/context.ts'
import { capture } from '../lead/capture.ts'
import { emailIn, phoneIn } from '../lead/contact-in-text.ts'
import type { Sighting } from '../lead/person.ts'
import { addActivities } from './activity.ts'

type Arrived = InnerEvents['inboxEntryArrived']

/** Somebody wrote, shared or liked: who told their address, or has a profile that is known, is a lead who did something. */
export async function captureEntries(context: Context, events: readonly Emitted<Arrived>[]) {
  const known = await knownProfiles(context, events)
  const told = events.flatMap(({ data }) => {
    const email = said.has(data.kind) ? emailIn(data.text) : ''
    return email !== '' || known.has(keyOf(data)) ? [{ data, email }] : []
  })
  const campaigns = await campaignsOf(
    context,
    told.map(({ data }) => data.postlogId),
  )
  const campaignOf = ({ postlogId }: Arrived) => campaigns.get(postlogId) ?? ''
  const { leads, facts } = await capture(
    context,
    told.map(({ data, email }) => sightingOf(data, email, campaignOf(data))),
  )
  const done = await addActivities(
    context,
    told.flatMap(({ data }, index) => {
      const lead = leads[index]
      return lead?.isTracked ? [doneBy(lead.id, data, campaignOf(data))] : []
    }),
  )
  await addFacts(context, [...facts, ...done])
}

/** What has words; a like has none. */
const said: ReadonlySet<string> = new Set<Arrived['kind']>(['comment', 'reply', 'mention', 'message', 'share'])

const keyOf = ({ network, personId }: Arrived) => `${network} ${personId}`

async function knownProfiles({ db, accountId }: Context, events: readonly Emitted<Arrived>[]): Promise<Set<string>> {
  const column = (read: (data: Arrived) => string) => events.map(({ data }) => read(data))
  const { rows } = await sql<{ key: string }>`
    select p.network || ' ' || p.remote_id as key from lead_profiles p
    where p.account_id = ${accountId} and (p.network, p.remote_id) in (
      select * from unnest(${column((one) => one.network)}::text[], ${column((one) => one.personId)}::text[]))`.execute(
    db,
  )
  return new Set(rows.map(({ key }) => key))
}

/** The campaigns of the posts under which people wrote, by what names the post on its profile. */
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

const sightingOf = (data: Arrived, email: string, campaignId: string): Sighting => ({
  ...{ email, name: data.personName, photo: data.personPicture, phone: phoneIn(data.text) },
  ...{ network: data.network, campaignId },
  ...(data.personId !== '' && {
    profile: { network: data.network, remoteId: data.personId, username: data.personUsername },
  }),
})

const doneBy = (
  leadId: string,
  { kind, at, network, credentialId, postlogId, text, itemId, entryId }: Arrived,
  campaignId: string,
) => ({
  ...{ leadId, type: kind, activityDate: new Date(at), source: `entry/${entryId}` },
  ...{ network, profileId: credentialId, postlogId: postlogId || null, campaignId },
  scopes: scopesOf(campaignId),
  data: { ...(text !== '' && { Text: text }), ItemId: itemId },
})
