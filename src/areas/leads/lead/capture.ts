import { sql } from 'kysely'
import type { Increment } from '#areas/counters/increments.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { newId } from '#kernel/ids.ts'
import { leadIds } from '../declarations.ts'
import { announceLeads } from './lead.events.ts'
import { type LeadRow, leadIncrement, mergeLead, withParts } from './lead.ts'
import { namesOf, type PersonProfile, type PersonSnapshot, profileUrl } from './person.ts'

/**
 * Finds or creates the leads of snapshots, in order. A person known only by a profile without a lead is `undefined`.
 * One email address is one lead, also under concurrency. The caller applies the returned counter increments
 * last.
 */
export async function capture(
  context: Context,
  snapshots: readonly PersonSnapshot[],
): Promise<{ leads: (LeadRow | undefined)[]; increments: Increment[] }> {
  const known = await holdKnown(context, snapshots)
  await addUnknown(context, snapshots, known)
  for (const snapshot of snapshots) await join(context, snapshot, known)
  const identified = [...known.identified].flatMap((id) => known.leads.get(id) ?? [])
  await announceLeads(context, await withParts(context, identified))
  return { leads: snapshots.map((snapshot) => leadOf(known, snapshot)), increments: known.increments }
}

/** Leads that the people are known by, all locked. */
interface Known {
  leads: Map<string, LeadRow>
  byEmail: Map<string, string>
  byProfile: Map<string, string>
  /** Leads whose email address became known just now. */
  identified: Set<string>
  /** Increments for new and merged leads. */
  increments: Increment[]
}

const keyOf = ({ network, remoteId }: Pick<PersonProfile, 'network' | 'remoteId'>) => `${network} ${remoteId}`

const leadOf = ({ leads, byEmail, byProfile }: Known, { email, profile }: PersonSnapshot) =>
  leads.get(byEmail.get(email) ?? (profile && byProfile.get(keyOf(profile))) ?? '')

async function holdKnown({ db, accountId }: Context, snapshots: readonly PersonSnapshot[]): Promise<Known> {
  const emails = [...new Set(snapshots.flatMap(({ email }) => email || []))]
  const profiles = snapshots.flatMap(({ profile }) => profile ?? [])
  const found = await sql<{ leadId: string; network: string; remoteId: string }>`
    select p.lead_id, p.network, p.remote_id from lead_profiles p
    where p.account_id = ${accountId} and (p.network, p.remote_id) in (
      select * from unnest(${profiles.map(({ network }) => network)}::text[], ${profiles.map(({ remoteId }) => remoteId)}::text[]))`.execute(
    db,
  )
  const ids = found.rows.map(({ leadId }) => leadId)
  const rows =
    emails.length + ids.length === 0
      ? []
      : await db
          .selectFrom('leads')
          .selectAll()
          .where('accountId', '=', accountId)
          .where(({ eb, or }) =>
            or([eb('id', '=', sql<string>`any (${ids})`), eb('email', '=', sql<string>`any (${emails})`)]),
          )
          .orderBy('id')
          .modifyEnd(lockRows('leads', 'update'))
          .execute()
  const leads = new Map(rows.map((lead) => [lead.id, lead]))
  return {
    leads,
    byEmail: new Map(rows.flatMap(({ email, id }) => (email ? [[email, id]] : []))),
    // Deleted meanwhile.
    byProfile: new Map(found.rows.flatMap((one) => (leads.has(one.leadId) ? [[keyOf(one), one.leadId]] : []))),
    identified: new Set(),
    increments: [],
  }
}

/** Creates leads for unknown email addresses, unless the profile belongs to a lead without one. */
async function addUnknown(context: Context, snapshots: readonly PersonSnapshot[], known: Known) {
  const { db, accountId, now } = context
  const unknown = new Map<string, PersonSnapshot>()
  for (const snapshot of snapshots) {
    const { email, profile } = snapshot
    if (email === '' || known.byEmail.has(email) || unknown.has(email)) continue
    const own = profile && known.leads.get(known.byProfile.get(keyOf(profile)) ?? '')
    if (own?.email === '') await identify(context, own, email, known)
    if (!known.byEmail.has(email)) unknown.set(email, snapshot)
  }
  // In the order of the addresses, to avoid deadlocks.
  for (const [email, { name, photo, phone, network, campaignId }] of [...unknown].sort(([one], [other]) =>
    one < other ? -1 : 1,
  )) {
    const made = { accountId, id: newId(leadIds.lead, now), created: now, modified: now, email, ...namesOf(name) }
    const added = await db
      .insertInto('leads')
      .values({ ...made, photo, phone: phone || null, network, campaignId })
      .onConflict((on) => on.columns(['accountId', 'email']).where('email', '<>', sql.lit('')).doNothing())
      .returningAll()
      .executeTakeFirst()
    const lead = added ?? (await holdByEmail(context, email))
    if (!lead) continue
    keep(known, lead)
    if (!added) continue
    known.identified.add(added.id)
    known.increments.push(leadIncrement(added))
  }
}

/** Sets the email address of a lead, unless another lead got it meanwhile. */
async function identify(context: Context, lead: LeadRow, email: string, known: Known) {
  const { db, accountId, now } = context
  const other = await holdByEmail(context, email)
  if (other) return keep(known, other)
  const changed = await db
    .updateTable('leads')
    .set({ email, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', lead.id)
    .returningAll()
    .executeTakeFirstOrThrow()
  keep(known, changed)
  known.identified.add(lead.id)
}

const holdByEmail = ({ db, accountId }: Context, email: string) =>
  db
    .selectFrom('leads')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('email', '=', email)
    .modifyEnd(lockRows('leads', 'update'))
    .executeTakeFirst()

function keep({ leads, byEmail }: Known, lead: LeadRow) {
  leads.set(lead.id, lead)
  if (lead.email) byEmail.set(lead.email, lead.id)
}

/** Adds the profile, name and picture of a snapshot. A profile stays with a lead that has an email address. */
async function join(context: Context, snapshot: PersonSnapshot, known: Known) {
  const { db, accountId, now } = context
  const { email, profile } = snapshot
  const lead = leadOf(known, snapshot)
  if (!lead) return
  const owner = profile && known.leads.get(known.byProfile.get(keyOf(profile)) ?? '')
  if (owner && owner.id !== lead.id) {
    if (owner.email !== '') return
    await mergeLead(context, owner, lead)
    known.increments.push({ ...leadIncrement(owner), amount: -1 })
    known.leads.delete(owner.id)
    for (const [key, id] of known.byProfile) if (id === owner.id) known.byProfile.set(key, lead.id)
  }
  if (profile && !owner && email !== '') {
    await db
      .insertInto('leadProfiles')
      .values({ accountId, leadId: lead.id, ...profile, url: profileUrl(profile), created: now })
      .onConflict((on) => on.doNothing())
      .execute()
    known.byProfile.set(keyOf(profile), lead.id)
  }
  const more = {
    ...(lead.name === '' && snapshot.name !== '' && namesOf(snapshot.name)),
    ...(lead.photo === '' && snapshot.photo !== '' && { photo: snapshot.photo }),
    ...(lead.phone === null && snapshot.phone !== '' && { phone: snapshot.phone }),
  }
  if (Object.keys(more).length === 0) return
  await db
    .updateTable('leads')
    .set({ ...more, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', lead.id)
    .execute()
  known.leads.set(lead.id, { ...lead, ...more, modified: now })
}
