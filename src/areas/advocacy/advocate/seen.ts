import type { Context } from '#kernel/context.ts'

/** Notes that the caller was on a board; once a minute is enough. */
export async function noteSeen({ db, accountId, userId, now }: Context, boardId: string) {
  const before = new Date(now.getTime() - 60_000)
  await db
    .updateTable('boardMembers')
    .set({ lastSeen: now })
    .where('accountId', '=', accountId)
    .where('boardId', '=', boardId)
    .where('userId', '=', userId)
    .where((row) => row.or([row('lastSeen', 'is', null), row('lastSeen', '<', before)]))
    .execute()
}
