import { sql } from 'kysely'
import { isShownTo } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { queueMail } from '#kernel/mail/mail.job.ts'
import type { Step } from '../workflow/workflow-step.ts'
import { askedAt } from './approvers.ts'
import type { Description } from './entity-kind.ts'
import { kindOf } from './entity-kinds.ts'
import type { Item } from './item.ts'

const longestText = 500

/** Asks those who decide at a step, each in a mail of their own. */
export async function tellApprovers(context: Context, item: Item, step: Step) {
  const asked = await askedAt(context, item)
  const about = await describe(context, item)
  if (asked.length === 0 || !about) return
  const asker = (await userOf(context, item.createdBy))?.name ?? 'Somebody'
  const subject = `${asker} asks you to approve ${nameOf(item)}`
  const text = `${asker} asks you to approve ${nameOf(item)}, at the step "${step.name}".

${content(about)}

To approve it, call POST /v2/workflow-item/${item.id}; to reject it, the same with action=reject and a note.
How to call the interface: ${context.publicUrl}/docs
`
  for (const { email } of asked) await queueMail(context, { to: email, subject, text })
}

/** Tells whoever sent it to approval what came of it. */
export async function tellCreator(context: Context, item: Item, note: string) {
  const creator = await userOf(context, item.createdBy)
  const about = await describe(context, item)
  if (creator?.status !== 'active' || !about || !(await sees(context, item.createdBy, about))) return
  const decider = (await userOf(context, context.userId))?.name ?? 'Somebody'
  const subject = `${decider} ${item.status} ${nameOf(item)}`
  const text = `${subject} that you sent to approval (${item.id}).
${note && `\nNote: ${note}\n`}
${content(about)}
`
  await queueMail(context, { to: creator.email, subject, text })
}

/** The campaign may have been given to a team, or the post moved to another campaign, since it was sent to approval. */
async function sees({ db, accountId }: Context, userId: string, { scopeId }: Description): Promise<boolean> {
  const shown = isShownTo({ accountId }, sql`u.id`, sql`${scopeId}`)
  const { rows } = await sql`
    select from users u where u.account_id = ${accountId} and u.id = ${userId} and (u.role = 'admin' or ${shown})`.execute(
    db,
  )
  return rows.length > 0
}

const describe = async (context: Context, { entityId }: Item) => kindOf(entityId)?.describe(context, entityId)

const nameOf = ({ network, postId, storyId }: Item) => `a ${network} ${postId ? 'post' : storyId ? 'story' : 'message'}`

const content = ({ network, planned, text }: Description) =>
  `Network: ${network}\nPlanned: ${planned}\n\n${shortened(text)}`

/** By characters, so that none is cut in half. */
function shortened(text: string): string {
  const characters = [...text]
  return characters.length > longestText ? `${characters.slice(0, longestText).join('')}…` : text
}

const userOf = ({ db, accountId }: Context, id: string) =>
  db
    .selectFrom('users')
    .select(['name', 'email', 'status'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
