import type { Context } from '#kernel/context.ts'

/** The defaults for users without a choice; must match the column defaults. */
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

export async function get({ db, accountId, userId }: Context) {
  const chosen = await db
    .selectFrom('notificationSettings')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return { items: chosen ?? standard }
}

export async function update(context: Context, change: Change) {
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
  return get(context)
}
