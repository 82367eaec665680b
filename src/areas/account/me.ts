import type { Context } from '#kernel/context.ts'
import { prepared } from '#kernel/database/prepared.ts'
import { missing } from '#kernel/errors.ts'
import { setOwn } from './user/user.ts'

const caller = prepared((db, { accountId, userId }: { accountId: string; userId: string }) =>
  db
    .selectFrom('users as u')
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['u.name', 'u.email', 'u.lastLogin', 'a.name as accountName'])
    .where('u.accountId', '=', accountId)
    .where('u.id', '=', userId),
)

export async function whoAmI({ db, accountId, userId }: Context) {
  const found = await caller.first(db, { accountId, userId })
  // Deleted after the credentials were checked.
  if (!found) throw missing('User')
  const { name, email, lastLogin, accountName } = found
  return { user: { id: userId, name, email, lastLogin }, account: { id: accountId, name: accountName } }
}

interface Own {
  firstName?: string | undefined
  lastName?: string | undefined
  timezone?: string | undefined
}

/** Fields that users may change themselves: name and time zone. Role, email and teams are changed by admins. */
export async function changeOwn(context: Context, own: Own) {
  context.about({ id: context.userId })
  await setOwn(context, context.userId, own)
}

/** The email notifications of users without a choice; must match the column defaults. */
const standard = {
  emailDaily: true,
  emailWeekly: true,
  emailCampaignComplete: true,
  emailOnNewAssignment: true,
  emailOnNoteAdded: true,
  emailOnNoteMention: true,
  emailOnStatusChange: true,
  sendDailyEmailReport: false,
}

type Change = { [Name in keyof typeof standard]?: boolean | undefined }

export async function notificationSettings({ db, accountId, userId }: Context) {
  const chosen = await db
    .selectFrom('notificationSettings')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return { items: chosen ?? standard }
}

export async function updateNotificationSettings(context: Context, change: Change) {
  const { db, accountId, userId, about } = context
  about({ id: userId })
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<
    typeof standard
  >
  await db
    .insertInto('notificationSettings')
    .values({ accountId, userId, ...given })
    .onConflict((on) => on.columns(['accountId', 'userId']).doUpdateSet({ userId, ...given }))
    .execute()
  return notificationSettings(context)
}
