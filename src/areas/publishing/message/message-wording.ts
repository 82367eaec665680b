import type { Part } from '#areas/approval/approvable.ts'
import type { Context } from '#kernel/context.ts'
import { mediaOf } from './message-media.ts'

/** What a message says, part by part; parts that it does not have are left out. */
export async function messageWording(context: Context, id: string): Promise<Part[]> {
  const { db, accountId } = context
  const message = await db
    .selectFrom('messages')
    .select(['message', 'subject', 'linkUrl', 'linkTitle', 'description', 'imageUrl'])
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!message) return []
  const media = await mediaOf(context, id)
  const { message: text, subject, linkUrl, linkTitle, description, imageUrl } = message
  return present([
    { name: 'Text', text },
    { name: 'Title', text: subject },
    { name: 'Link', text: [linkUrl, linkTitle, description, imageUrl].filter(Boolean).join('\n') },
    { name: 'Media', text: media.map(({ name }) => name).join('\n') },
  ])
}

export const present = (parts: readonly Part[]) => parts.filter(({ text }) => text !== '')
