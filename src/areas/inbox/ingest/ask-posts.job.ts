import { sql } from 'kysely'
import { withProfile } from '#areas/profiles/access/profile-access.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { cleanId, type Received } from './received.ts'
import { askForPosts, type OfProfile, unresolvedPost, wantPlacing, wantPosts } from './record-activities.ts'

const retryDelays = [10_000, 60_000]
/** Per run; further runs follow while there are more. */
const atOnce = 25

interface Unsure {
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
      const unsure = await transaction(accountId, (context) => unsureOf(context, credentialId))
      const owner = { accountId, id: credentialId }
      const found: Unsure[] = []
      for (const { dedupeKey, activity } of unsure) {
        const remoteId = cleanId(activity?.remoteId)
        // The stored activity is unreadable; it is released with the others after its deadline.
        if (remoteId === undefined) continue
        const lookUp = () =>
          withProfile(installation, owner, async (connector, actor) => connector.postOfComment?.(actor, remoteId))
        const post = await lookUp().catch((error: unknown) => nothingIfFinal(error, attempt > retryDelays.length))
        found.push({ dedupeKey, activity: { ...activity, postId: cleanId(post) ?? activity.postId } })
      }
      await complete(accountId, async (context) => {
        await keep(context, credentialId, found)
        if (unsure.length === atOnce) await wantPosts(context, credentialId)
      })
    },
  })

/** Retrying would not help: the comment may be gone, or the profile disconnected. */
function nothingIfFinal(error: unknown, isLastTry: boolean): undefined {
  if (error instanceof Refusal) return
  if (!(error instanceof NetworkError)) throw error
  if (!isLastTry && error.fault.kind !== 'permanent' && error.fault.kind !== 'token') throw error
}

async function unsureOf({ db, accountId }: Context, credentialId: string): Promise<Unsure[]> {
  const { rows } = await sql<Unsure>`
    select dedupe_key as "dedupeKey", activity from inbox_arrivals
    where account_id = ${accountId} and credential_id = ${credentialId} and state = 'waiting' and waits_for = ${unresolvedPost}
    order by received, dedupe_key limit ${atOnce}`.execute(db)
  return rows
}

async function keep(context: Context, credentialId: string, found: readonly Unsure[]) {
  if (found.length === 0) return
  const { db, accountId } = context
  const keys = found.map(({ dedupeKey }) => dedupeKey)
  const activities = found.map(({ activity }) => JSON.stringify(activity))
  await sql`
    update inbox_arrivals a set state = 'new', waits_for = null, due = null, activity = f.activity
    from unnest(${keys}::text[], ${activities}::jsonb[]) as f (key, activity)
    where a.account_id = ${accountId} and a.credential_id = ${credentialId} and a.dedupe_key = f.key
      and a.state = 'waiting' and a.waits_for = ${unresolvedPost}`.execute(db)
  await wantPlacing(context, credentialId)
}
