import type { Context } from '#kernel/context.ts'

export const switchedOff = 'The webhook was switched off.'

/** What waits is kept among what failed, from where it can be sent again. */
export async function giveUpWaiting(
  { db, accountId }: Pick<Context, 'db' | 'accountId'>,
  id: string,
  lastError: string,
) {
  await db
    .updateTable('webhookDeliveries')
    .set({ due: null, lastError })
    .where('accountId', '=', accountId)
    .where('webhookId', '=', id)
    .where('due', 'is not', null)
    .execute()
}
