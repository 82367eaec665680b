import * as credentials from '#areas/profiles/credential/credential.ts'
import type { Context } from '#kernel/context.ts'
import { conflict } from '#kernel/errors.ts'
import { removeUnsent } from '../post/change/post-removal.ts'

/** Deletes a profile together with everything that was to be sent through it. */
export async function remove(context: Context, { id }: { id: string }) {
  await credentials.remove(context, { id })
  const underWay = await removeUnsent(context, { credentialId: id }, 'The profile was deleted.')
  if (underWay > 0) throw conflict('A post is being sent through this profile at this moment. Try again in a minute.')
  await context.db
    .deleteFrom('queueSlots')
    .where('accountId', '=', context.accountId)
    .where('credentialId', '=', id)
    .execute()
}
