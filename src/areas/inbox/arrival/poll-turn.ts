import type { Context } from '#kernel/context.ts'
import { wantPoll } from './arrival-jobs.ts'

/** Longer than asking may take: whoever took the turn and is gone does not keep it. */
const turnMs = 180_000
/** What happened longer before a profile was connected is not asked for. */
const historyMs = 7 * 24 * 3_600_000

/**
 * Takes the turn of asking for a profile; another process may have it, and then it says until when. Whoever goes on with what a dead process
 * had begun has its turn. Nothing where the profile is not watched.
 */
export async function takePoll({ db, accountId, now }: Context, credentialId: string, goesOn: boolean) {
  const taken = await db
    .updateTable('inboxProfiles')
    .set({ nextPoll: new Date(now.getTime() + turnMs) })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .$if(!goesOn, (rows) => rows.where('nextPoll', '<=', now))
    .returning(['network', 'created', 'failures', 'marker', 'pushRenew', 'pushError'])
    .executeTakeFirst()
  if (taken) {
    const { network, created, failures, marker, pushRenew, pushError } = taken
    // The network has agreed to tell of this profile by itself.
    const pushes = pushError === '' && (pushRenew === null || pushRenew > now)
    const since = new Date(created.getTime() - historyMs)
    return { network, failures, marker, pushes, since, notBefore: undefined }
  }
  const other = await db
    .selectFrom('inboxProfiles')
    .select('nextPoll as notBefore')
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .executeTakeFirst()
  return other
}

/** How a turn ended. */
export interface Ending {
  /** When the network was asked with success. */
  polled?: Date
  /** The newest that was seen, where the network goes by that. */
  marker?: string | undefined
  next: Date
  failures: number
  error: string
}

export async function endPoll(context: Context, credentialId: string, ending: Ending) {
  const { db, accountId } = context
  const { polled, marker, next, failures, error } = ending
  const ended = await db
    .updateTable('inboxProfiles')
    .set({ nextPoll: next, failures, error, ...(polled && { polled }), ...(marker !== undefined && { marker }) })
    .where('accountId', '=', accountId)
    .where('credentialId', '=', credentialId)
    .returning('credentialId')
    .executeTakeFirst()
  if (ended) await wantPoll(context, credentialId, next)
}
