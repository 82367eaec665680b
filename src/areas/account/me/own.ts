import type { Context } from '#kernel/context.ts'
import { setOwn } from '../user/user.ts'

interface Own {
  firstName?: string | undefined
  lastName?: string | undefined
  timezone?: string | undefined
}

/** What somebody says of themselves: name and time zone; role, address and teams are an admin's to change. */
export async function changeOwn(context: Context, own: Own) {
  context.about({ id: context.userId })
  await setOwn(context, context.userId, own)
}
