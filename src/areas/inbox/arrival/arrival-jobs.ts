import type { Context } from '#kernel/context.ts'
import type { Job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'

/** The work around one profile, by name: whoever wants it done need not know how. */
export interface OfProfile {
  accountId: string
  credentialId: string
}

type Wanted = Pick<Job<OfProfile>, 'name' | 'queue'>

export const pollProfile: Wanted = { name: 'inbox.poll-profile', queue: 'polls' }
export const subscribePush: Wanted = { name: 'inbox.subscribe-push', queue: 'polls' }
export const placeArrivals: Wanted = { name: 'inbox.place-arrivals', queue: 'arrivals' }
export const askForPosts: Wanted = { name: 'inbox.ask-posts', queue: 'polls' }
export const releaseArrivals: Wanted = { name: 'inbox.release-arrivals', queue: 'arrivals' }

export const wantPoll = (context: Context, credentialId: string, due: Date) =>
  want(context, pollProfile, credentialId, due)

export const wantSubscription = (context: Context, credentialId: string) =>
  want(context, subscribePush, credentialId, context.now)

export const wantPlacing = (context: Context, credentialId: string) =>
  want(context, placeArrivals, credentialId, context.now)

export const wantPosts = (context: Context, credentialId: string) =>
  want(context, askForPosts, credentialId, context.now)

const want = (context: Context, job: Wanted, credentialId: string, due: Date) =>
  enqueue(context, job, { accountId: context.accountId, credentialId }, { key: credentialId, due })

/** What waits for something that may never come is looked at again; those of a minute together. */
export async function wantRelease(context: Context, credentialId: string, dues: readonly Date[]) {
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
