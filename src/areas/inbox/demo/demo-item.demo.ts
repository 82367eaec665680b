import type { Insertable, InsertObject } from 'kysely'
import { demoId } from '#areas/account/account.demo.ts'
import type { Context } from '#kernel/context.ts'
import type { DB, InboxEntries } from '#kernel/database/tables.ts'

type Language = 'en' | 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'ja'
type ItemType = 'Conversation' | 'Post' | 'Mention' | 'Reply'

/** Author and text of an entry: `us`, `note`, `they`, or the name of another person. */
type Turn = readonly [who: 'us' | 'note' | 'they' | string, words: string]

export interface DemoItem {
  network: 'Facebook' | 'Instagram' | 'LinkedIn' | 'Twitter' | 'YouTube' | 'TikTok'
  type: ItemType
  language: Language
  person: string
  text: string
  later: readonly Turn[]
  tags: readonly number[]
  assignee: string
  isClosed: boolean
}

type More = Partial<Pick<DemoItem, 'later' | 'tags' | 'assignee' | 'isClosed'>>

const item =
  (network: DemoItem['network'], type: ItemType) =>
  (language: Language, person: string, text: string, more: More = {}): DemoItem => ({
    network,
    type,
    language,
    person,
    text,
    later: [],
    tags: [],
    assignee: '',
    isClosed: false,
    ...more,
  })

export const facebookMessage = item('Facebook', 'Conversation')
export const facebookComment = item('Facebook', 'Post')
export const facebookMention = item('Facebook', 'Mention')
export const instagramMessage = item('Instagram', 'Conversation')
export const instagramComment = item('Instagram', 'Post')
export const instagramMention = item('Instagram', 'Mention')
export const linkedInMessage = item('LinkedIn', 'Conversation')
export const linkedInComment = item('LinkedIn', 'Post')
export const linkedInMention = item('LinkedIn', 'Mention')
export const xMessage = item('Twitter', 'Conversation')
export const xReply = item('Twitter', 'Reply')
export const xMention = item('Twitter', 'Mention')
export const youTubeComment = item('YouTube', 'Post')
export const tikTokMessage = item('TikTok', 'Conversation')
export const tikTokComment = item('TikTok', 'Post')

export interface DemoPost {
  id: string
  remoteId: string
  url: string
  text: string
}

const mostPosts = 12

/** A working profile of each network with its sent posts. */
export async function placesOf(context: Context) {
  const { db, accountId } = context
  const credentials = await db
    .selectFrom('credentials')
    .select(['id', 'network'])
    .where('accountId', '=', accountId)
    .where('status', '=', 'valid')
    .where('kind', '<>', 'member')
    .where('boardOnly', '=', false)
    .where('deleted', 'is', null)
    .orderBy('created')
    .orderBy('id')
    .execute()
  const profiles = new Map<string, { credentialId: string; posts: DemoPost[] }>()
  for (const { id, network } of credentials)
    if (!profiles.has(network)) profiles.set(network, { credentialId: id, posts: await postsOf(context, id) })
  return profiles
}

const postsOf = ({ db, accountId }: Context, credentialId: string): Promise<DemoPost[]> =>
  db
    .selectFrom('postlogs')
    .innerJoin('messages', (join) =>
      join.onRef('messages.id', '=', 'postlogs.messageId').on('messages.accountId', '=', accountId),
    )
    .select(['postlogs.id', 'postlogs.remoteId', 'postlogs.remoteUrl as url', 'messages.message as text'])
    .where('postlogs.accountId', '=', accountId)
    .where('postlogs.credentialId', '=', credentialId)
    .where('postlogs.status', '=', 'success')
    .orderBy('postlogs.id', 'desc')
    .limit(mostPosts)
    .execute()

type Entry = Insertable<InboxEntries>

const second = 1000

/** Details of a sent reply's entry. */
export const sent = (number: number) => ({
  replyId: demoId('0ir', number),
  details: JSON.stringify({ status: 'sent', error: '' }),
})

/** Replies among the entries of an item, oldest first. */
export function repliesIn({ network, type }: DemoItem, entries: readonly Entry[]): InsertObject<DB, 'inboxReplies'>[] {
  const kind = type === 'Conversation' ? 'message' : 'comment'
  let since: Date | undefined
  return entries.flatMap((entry) => {
    const created = entry.created as Date
    if (!entry.isOwn) since ??= created
    if (!entry.replyId) return []
    const out = new Date(created.getTime() + 4 * second)
    const responseSeconds = since ? Math.floor((out.getTime() - since.getTime()) / second) : null
    since = undefined
    return [
      {
        accountId: entry.accountId,
        id: entry.replyId,
        itemId: entry.itemId,
        credentialId: entry.credentialId,
        created,
        createdBy: entry.createdBy ?? '',
        network,
        kind,
        text: entry.content ?? '',
        parentRemoteId: entry.parentRemoteId ?? '',
        remoteId: entry.remoteId ?? '',
        status: 'sent',
        sent: out,
        responseSeconds,
      },
    ]
  })
}
