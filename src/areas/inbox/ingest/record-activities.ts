import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import type { Job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Activity } from '#networks/connector/connector.ts'
import { receivedOf } from './received.ts'

/** Jobs of one profile by name, so that callers needn't import their implementations. */
export interface OfProfile {
  accountId: string
  credentialId: string
}

type ProfileJob = Pick<Job<OfProfile>, 'name' | 'queue'>

export const pollProfile: ProfileJob = { name: 'inbox.poll-profile', queue: 'polls' }
export const subscribePush: ProfileJob = { name: 'inbox.subscribe-push', queue: 'polls' }
export const placeArrivals: ProfileJob = { name: 'inbox.place-arrivals', queue: 'arrivals' }
export const askForPosts: ProfileJob = { name: 'inbox.ask-posts', queue: 'polls' }
export const releaseArrivals: ProfileJob = { name: 'inbox.release-arrivals', queue: 'arrivals' }

export const wantPoll = (context: Context, credentialId: string, due: Date) =>
  want(context, pollProfile, credentialId, due)

export const wantSubscription = (context: Context, credentialId: string) =>
  want(context, subscribePush, credentialId, context.now)

export const wantPlacing = (context: Context, credentialId: string) =>
  want(context, placeArrivals, credentialId, context.now)

export const wantPosts = (context: Context, credentialId: string) =>
  want(context, askForPosts, credentialId, context.now)

const want = (context: Context, job: ProfileJob, credentialId: string, due: Date) =>
  enqueue(context, job, { accountId: context.accountId, credentialId }, { key: credentialId, due })

/** Schedules the release of activities whose parent may never be received; deadlines within a minute share a job. */
export async function scheduleRelease(context: Context, credentialId: string, dues: readonly Date[]) {
  const minutes = new Set(dues.map((due) => Math.ceil(due.getTime() / minute)))
  for (const number of minutes) {
    const payload = { accountId: context.accountId, credentialId }
    await enqueue(context, releaseArrivals, payload, {
      key: `${credentialId} ${number}`,
      due: new Date(number * minute),
    })
  }
}

const minute = 60_000

/** Profile that activities belong to, in the context's account. */
export interface ActivityOwner {
  credentialId: string
}

/** Marks an activity whose post must be looked up; no network has such an id. */
export const unresolvedPost = '?post'
/** After this it is added to the inbox with the post named in the push. */
const patience = 3 * 60_000

/** Stores received activities, each once, and enqueues their processing. Returns the number of new ones. */
export async function recordActivities(
  context: Context,
  { credentialId }: ActivityOwner,
  activities: readonly Activity[],
): Promise<number> {
  const { db, accountId, now } = context
  const incoming = activities
    .filter(({ kind }) => kind !== 'post')
    .map((activity) => ({ ...receivedOf(activity, now), isPostUncertain: activity.isPostUncertain === true }))
  const once = [...new Map(incoming.map((one) => [one.dedupeKey, one])).values()]
  if (once.length === 0) return 0
  const column = <Value>(read: (one: (typeof once)[number]) => Value) => once.map(read)
  const due = new Date(now.getTime() + patience)
  const { rows } = await sql<{ state: string }>`
    insert into inbox_arrivals (account_id, credential_id, dedupe_key, received, state, activity, reason, waits_for, due)
    select ${accountId}, ${credentialId}, a.key, ${now}, a.state, a.activity::jsonb, a.reason, a.waits_for, a.due
    from unnest(${column((one) => one.dedupeKey)}::text[], ${column(stateOf)}::text[],
      ${column(({ heard: incoming }) => (incoming ? JSON.stringify(incoming) : null))}::text[], ${column(({ reason = '' }) => reason)}::text[],
      ${column((one) => (stateOf(one) === 'waiting' ? unresolvedPost : null))}::text[],
      ${column((one) => (stateOf(one) === 'waiting' ? due : null))}::timestamptz[])
      as a (key, state, activity, reason, waits_for, due)
    on conflict (account_id, credential_id, dedupe_key) do nothing
    returning state`.execute(db)
  const count = (state: string) => rows.filter((row) => row.state === state).length
  const refused = count('refused')
  if (refused > 0) context.remark({ arrivalsRefused: refused })
  if (count('new') > 0) await wantPlacing(context, credentialId)
  if (count('waiting') > 0) {
    await wantPosts(context, credentialId)
    await scheduleRelease(context, credentialId, [due])
  }
  return rows.length
}

const stateOf = ({ heard: incoming, isPostUncertain }: { heard?: object; isPostUncertain: boolean }) =>
  incoming ? (isPostUncertain ? 'waiting' : 'new') : 'refused'
