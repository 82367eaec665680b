import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { queueMails } from '#kernel/mail/send-mail.job.ts'
import type { ItemRow } from '../item/item.ts'

/** Emails to assignees, according to their /notification settings; users get none about their own actions. */

type Choice = 'emailOnNewAssignment' | 'emailOnNoteAdded' | 'emailOnNoteMention' | 'emailOnStatusChange'

export async function notifyAssignment(context: Context, items: readonly ItemRow[], assigneeId: string, note: string) {
  if (items.length === 0) return
  await write(context, 'emailOnNewAssignment', [assigneeId], (by) => ({
    subject: `${by} gave you ${counted(items)}`,
    body: [note && `Note: ${shortened(note)}`, ...described(items)],
  }))
}

/** Emails each assignee of the opened or closed items. */
export async function notifyStatus(context: Context, items: readonly ItemRow[], status: ItemRow['status']) {
  for (const id of new Set(items.map(({ assigneeId }) => assigneeId))) {
    const assigned = items.filter(({ assigneeId }) => assigneeId === id)
    await write(context, 'emailOnStatusChange', [id], (by) => ({
      subject: `${by} ${status === 'open' ? 'opened' : 'closed'} ${counted(assigned)} of yours`,
      body: described(assigned),
    }))
  }
}

/** Emails each assignee of items reopened by an incoming message. */
export async function notifyReopening(context: Context, items: readonly ItemRow[]) {
  for (const id of new Set(items.map(({ assigneeId }) => assigneeId))) {
    const assigned = items.filter(({ assigneeId }) => assigneeId === id)
    const which = assigned.length === 1 ? 'A conversation of yours is' : `${assigned.length} conversations of yours are`
    await write(context, 'emailOnStatusChange', [id], () => ({
      subject: `${which} open again`,
      body: ['Somebody outside wrote more.', ...described(assigned)],
    }))
  }
}

/** Emails the users mentioned in the note, and the assignee unless mentioned. */
export async function notifyNote(context: Context, item: ItemRow, note: string, notified: readonly string[]) {
  const mentioned = (await mentionedIn(context, note)).filter((id) => !notified.includes(id))
  await write(context, 'emailOnNoteMention', mentioned, (by) => ({
    subject: `${by} named you in a note`,
    body: [shortened(note), ...described([item])],
  }))
  const others = [item.assigneeId].filter((id) => !mentioned.includes(id) && !notified.includes(id))
  await write(context, 'emailOnNoteAdded', others, (by) => ({
    subject: `${by} left a note on a conversation of yours`,
    body: [shortened(note), ...described([item])],
  }))
}

async function write(
  context: Context,
  choice: Choice,
  userIds: readonly string[],
  email: (by: string) => { subject: string; body: readonly string[] },
) {
  const { db, accountId, userId } = context
  const others = userIds.filter((id) => id !== '' && id !== userId)
  if (others.length === 0) return
  const { rows } = await sql<{ id: string; name: string; email: string; isWanted: boolean }>`
    select u.id, u.name, u.email, coalesce(${sql.ref(`n.${choice}`)}, true) as is_wanted from users u
    left join notification_settings n on n.account_id = ${accountId} and n.user_id = u.id
    where u.account_id = ${accountId} and u.id = any (${[...others, userId]}) and u.status = 'active'`.execute(db)
  const by = rows.find(({ id }) => id === userId)?.name || 'Somebody'
  const { subject, body } = email(by)
  const text = `${subject}.\n\n${body.filter(Boolean).join('\n\n')}\n`
  const recipients = rows.filter(({ id, isWanted }) => id !== userId && isWanted)
  await queueMails(
    context,
    recipients.map(({ email: to }) => ({ to, subject, text })),
  )
}

const counted = (items: readonly ItemRow[]) => (items.length === 1 ? 'a conversation' : `${items.length} conversations`)

const mostDescribed = 10

/** Incoming text is quoted unchanged but shortened: the email is plain text. */
function described(items: readonly ItemRow[]): string[] {
  const lines = items.slice(0, mostDescribed).map(({ id, network, personName, personUsername, text }) => {
    const personLabel = oneLine(personName || personUsername, 80) || 'Somebody'
    return `${personLabel} on ${network} (${id}):\n${shortened(text)}`
  })
  return items.length > mostDescribed ? [...lines, `… and ${items.length - mostDescribed} more.`] : lines
}

const shortened = (text: string) => cut(text.trim(), 500)
const oneLine = (text: string, most: number) => cut(text.replaceAll(/\s+/g, ' ').trim(), most)

/** Cuts at code points. */
function cut(text: string, most: number): string {
  const characters = [...text.slice(0, most * 2)]
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text
}

const mostMentions = 20
/** Longer than any name. */
const longestName = 130

/** Users mentioned in a text as @First Last; the longest matching name counts. */
async function mentionedIn({ db, accountId }: Context, text: string): Promise<string[]> {
  const texts = textsAfterAt(text)
  if (texts.length === 0) return []
  const { rows } = await sql<{ mention: string; id: string; name: string }>`
    select p.mention, u.id, u.name from unnest(${texts}::text[]) as p (mention)
    join users u on u.account_id = ${accountId} and u.name <> '' and starts_with(lower(p.mention), lower(u.name))
    where u.account_id = ${accountId} and u.status = 'active' and u.role is not null`.execute(db)
  const found = texts.flatMap((following) => {
    const named = rows.filter((row) => row.mention === following && isWhole(following, row.name))
    const longest = Math.max(...named.map(({ name }) => name.length))
    return named.filter(({ name }) => name.length === longest).map(({ id }) => id)
  })
  return [...new Set(found)]
}

/** The text after each @ that starts a word. */
function textsAfterAt(text: string): string[] {
  const texts: string[] = []
  for (let at = text.indexOf('@'); at >= 0 && texts.length < mostMentions; at = text.indexOf('@', at + 1)) {
    if (at > 0 && /[\p{L}\p{N}]/u.test(text.charAt(at - 1))) continue
    texts.push(text.slice(at + 1, at + 1 + longestName).toWellFormed())
  }
  return [...new Set(texts)].filter((following) => following.trim() !== '')
}

/** "@Ann" isn't mentioned in "@Annette". */
const isWhole = (following: string, name: string) => !/^[\p{L}\p{N}]/u.test(following.slice(name.length))
