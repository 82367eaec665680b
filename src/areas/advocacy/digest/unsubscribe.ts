import { change } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { hintAdvocate } from '../advocate/membership.ts'

/** Whose letters of which board. */
interface Subscription {
  boardId: string
  userId: string
}

const place = 'digest unsubscribe'

/** Where one call ends somebody's letters of a board; nobody else can make such an address. */
export function unsubscribeUrl({ keyring, publicUrl, accountId }: Context, { boardId, userId }: Subscription): string {
  const token = keyring.encrypt(JSON.stringify({ accountId, boardId, userId }), place)
  return `${publicUrl}/app/unsubscribe?token=${encodeURIComponent(token)}`
}

/** Ends them, however often it is asked. Gives the name of the board; nothing where the advocate left it. */
export async function unsubscribe(installation: Installation, token: string): Promise<string | undefined> {
  const { accountId, boardId, userId } = readToken(installation, token)
  const actor = { accountId, userId, role: 'advocate', now: installation.clock.now(), deed: undefined } as const
  return change(installation, actor, async (context) => {
    const { db } = context
    await db
      .updateTable('boardMembers')
      .set({ wantsDigest: false })
      .where('accountId', '=', accountId)
      .where('boardId', '=', boardId)
      .where('userId', '=', userId)
      .execute()
    hintAdvocate(context, boardId, userId)
    const board = await db
      .selectFrom('boards')
      .select('name')
      .where('accountId', '=', accountId)
      .where('id', '=', boardId)
      .executeTakeFirst()
    return board?.name
  })
}

/** Refuses what is none of ours, so that nobody is told more than that. */
export function readToken({ keyring }: Installation, token: string): Subscription & { accountId: string } {
  try {
    return JSON.parse(keyring.decrypt(token, place))
  } catch {
    throw invalid('This address is not complete, or too old. Change the setting on the board itself.')
  }
}
