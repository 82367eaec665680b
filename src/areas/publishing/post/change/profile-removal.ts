import type { Context, Emitted } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { removeUnsent } from './post-removal.ts'

/** Takes back everything that was to be sent through profiles that are deleted; refuses while something is on its way. */
export async function leaveProfiles(context: Context, events: readonly Emitted<{ credentialId: string }>[]) {
  const { db, accountId } = context
  for (const { data } of events) {
    const { credentialId } = data
    const underWay = await removeUnsent(context, { credentialId }, 'The profile was deleted.')
    if (underWay > 0) throw conflict('A post is being sent through this profile at this moment. Try again in a minute.')
    await db
      .deleteFrom('queueSlots')
      .where('accountId', '=', accountId)
      .where('credentialId', '=', credentialId)
      .execute()
  }
}
