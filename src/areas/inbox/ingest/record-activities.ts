import { sql } from 'kysely'
import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { type Activity, NetworkError } from '#networks/connector/connector.ts'
import { cleanId, type Received, receivedOf } from './received.ts'

/** Jobs of one profile by name, so that callers needn't import their implementations. */
export interface OfProfile {
  accountId: string
  credentialId: string
}

type ProfileJob = Pick<Job<OfProfile>, 'name' | 'queue'>

export const pollProfile: ProfileJob = { name: 'inbox.poll-profile', queue: 'polls' }
export const subscribePush: ProfileJob = { name: 'inbox.subscribe-push', queue: 'polls' }
export const ingestActivities: ProfileJob = { name: 'inbox.ingest-activities', queue: 'arrivals' }
const askForPosts: ProfileJob = { name: 'inbox.ask-posts', queue: 'polls' }
export const releaseActivities: ProfileJob = { name: 'inbox.release-activities', queue: 'arrivals' }

export const enqueuePoll = (context: Context, credentialId: string, due: Date) =>
  enqueueForProfile(context, pollProfile, credentialId, due)

export const enqueueSubscription = (context: Context, credentialId: string) =>
  enqueueForProfile(context, subscribePush, credentialId, context.now)

export const enqueuePlacing = (context: Context, credentialId: string) =>
  enqueueForProfile(context, ingestActivities, credentialId, context.now)

const enqueuePostLookup = (context: Context, credentialId: string) =>
  enqueueForProfile(context, askForPosts, credentialId, context.now)

const enqueueForProfile = (context: Context, job: ProfileJob, credentialId: string, due: Date) =>
  enqueue(context, job, { accountId: context.accountId, credentialId }, { key: credentialId, due })

/** Schedules the release of activities whose parent may never be received; deadlines within a minute share a job. */
export async function scheduleRelease(context: Context, credentialId: string, dues: readonly Date[]) {
  const minutes = new Set(dues.map((due) => Math.ceil(due.getTime() / minute)))
  for (const number of minutes) {
    const payload = { accountId: context.accountId, credentialId }
    await enqueue(context, releaseActivities, payload, {
      key: `${credentialId} ${number}`,
      due: new Date(number * minute),
    })
  }
}

const minute = 60_000

/** Profile that activities belong to, in the context's account. */
interface ActivityOwner {
  credentialId: string
}

/** Marks an activity whose post must be looked up; no network has such an id. */
const unresolvedPost = '?post'
/** After this it is added to the inbox with the post named in the push. */
const lookupTimeout = 3 * 60_000

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
  const due = new Date(now.getTime() + lookupTimeout)
  const { rows } = await sql<{ state: string }>`
    insert into inbox_activities (account_id, credential_id, dedupe_key, received, state, activity, reason, waits_for, due)
    select ${accountId}, ${credentialId}, a.key, ${now}, a.state, a.activity::jsonb, a.reason, a.waits_for, a.due
    from unnest(${column((one) => one.dedupeKey)}::text[], ${column(stateOf)}::text[],
      ${column(({ activity: incoming }) => (incoming ? JSON.stringify(incoming) : null))}::text[], ${column(({ reason = '' }) => reason)}::text[],
      ${column((one) => (stateOf(one) === 'waiting' ? unresolvedPost : null))}::text[],
      ${column((one) => (stateOf(one) === 'waiting' ? due : null))}::timestamptz[])
      as a (key, state, activity, reason, waits_for, due)
    on conflict (account_id, credential_id, dedupe_key) do nothing
    returning state`.execute(db)
  const count = (state: string) => rows.filter((row) => row.state === state).length
  const refused = count('refused')
  if (refused > 0) context.remark({ activitiesRefused: refused })
  if (count('new') > 0) await enqueuePlacing(context, credentialId)
  if (count('waiting') > 0) {
    await enqueuePostLookup(context, credentialId)
    await scheduleRelease(context, credentialId, [due])
  }
  return rows.length
}

const stateOf = ({ activity: incoming, isPostUncertain }: { activity?: object; isPostUncertain: boolean }) =>
  incoming ? (isPostUncertain ? 'waiting' : 'new') : 'refused'

const retryDelays = [10_000, 60_000]
/** Per run; further runs follow while there are more. */
const atOnce = 25

interface Unresolved {
  dedupeKey: string
  activity: Received
}

/**
 * Looks up the posts of comments whose push did not reliably name one. Comments the network can't resolve, and all of them after
 * a longer outage, are added to the inbox with the post named in the push.
 */
export const askForPostsJob = (installation: ProfileInstallation): Job<OfProfile> =>
  job(askForPosts.name, {
    ...askForPosts,
    timeout: 120_000,
    retryDelays,
    async run({ complete, transaction, attempt }, { accountId, credentialId }) {
      const unresolved = await transaction(accountId, (context) => unresolvedOf(context, credentialId))
      const owner = { accountId, id: credentialId }
      const found: Unresolved[] = []
      for (const { dedupeKey, activity } of unresolved) {
        const remoteId = cleanId(activity?.remoteId)
        // The stored activity is unreadable; it is released with the others after its deadline.
        if (remoteId === undefined) continue
        const findPost = () =>
          withProfile(installation, owner, async (connector, actor) => connector.postOfComment?.(actor, remoteId))
        const post = await findPost().catch((error: unknown) => ignoreIfFinal(error, attempt > retryDelays.length))
        found.push({ dedupeKey, activity: { ...activity, postId: cleanId(post) ?? activity.postId } })
      }
      await complete(accountId, async (context) => {
        await releaseFound(context, credentialId, found)
        if (unresolved.length === atOnce) await enqueuePostLookup(context, credentialId)
      })
    },
  })

/** Retrying would not help: the comment may be gone, or the profile disconnected. */
function ignoreIfFinal(error: unknown, isLastTry: boolean): undefined {
  if (error instanceof Refusal) return
  if (!(error instanceof NetworkError)) throw error
  if (!isLastTry && error.fault.kind !== 'permanent' && error.fault.kind !== 'token') throw error
}

async function unresolvedOf({ db, accountId }: Context, credentialId: string): Promise<Unresolved[]> {
  const { rows } = await sql<Unresolved>`
    select dedupe_key as "dedupeKey", activity from inbox_activities
    where account_id = ${accountId} and credential_id = ${credentialId} and state = 'waiting' and waits_for = ${unresolvedPost}
    order by received, dedupe_key limit ${atOnce}`.execute(db)
  return rows
}

async function releaseFound(context: Context, credentialId: string, found: readonly Unresolved[]) {
  if (found.length === 0) return
  const { db, accountId } = context
  const keys = found.map(({ dedupeKey }) => dedupeKey)
  const activities = found.map(({ activity }) => JSON.stringify(activity))
  await sql`
    update inbox_activities a set state = 'new', waits_for = null, due = null, activity = f.activity
    from unnest(${keys}::text[], ${activities}::jsonb[]) as f (key, activity)
    where a.account_id = ${accountId} and a.credential_id = ${credentialId} and a.dedupe_key = f.key
      and a.state = 'waiting' and a.waits_for = ${unresolvedPost}`.execute(db)
  await enqueuePlacing(context, credentialId)
}
