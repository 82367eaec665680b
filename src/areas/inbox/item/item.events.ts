import { sql } from 'kysely'
import { emitAll, scopesOf } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { wireForm } from '#kernel/wire/fields.ts'
import { inboxEvents } from '../declarations.ts'
import type { ItemRow } from './item-row.ts'
import { CommentFacts, ItemElement, ThreadFacts } from './item-shape.ts'

/** Under which older names an event is told as well, and whether these tell the language. */
const olderNames = {
  newInboxItem: [
    ['newConversation', true],
    ['newEngagementItem', false],
  ],
  newCommentOnInboxItem: [
    ['conversationUpdated', true],
    ['updatedEngagementItem', false],
  ],
  newDirectMessageOnInboxItem: [
    ['conversationUpdated', true],
    ['updatedEngagementItem', false],
  ],
  inboxItemReplied: [],
  newNoteOnInboxItem: [['newNoteOnConversation', false]],
  newInboxItemAssignment: [['newAssignment', false]],
  inboxItemStatusChange: [['conversationStatusUpdated', false]],
  inboxItemTagChange: [],
} as const

export type ItemEvent = keyof typeof olderNames

/** An item and what else is told of it: the text, the note, the status. */
export interface Told {
  item: ItemRow
  more?: object
}

/** Tells webhooks of one action on one item or, of an action on several, of each of them in one event. */
export const tellItems = (context: Context, event: ItemEvent, told: readonly Told[]) =>
  tell(context, event, told.length > 0 ? [told] : [])

/** Tells of several actions, each in an event of its own. */
export const tellEach = (context: Context, event: ItemEvent, told: readonly Told[]) =>
  tell(
    context,
    event,
    told.map((one) => [one]),
  )

/** One event for each group. */
async function tell(context: Context, event: ItemEvent, groups: readonly (readonly Told[])[]) {
  if (groups.length === 0) return
  const known = await knownOf(context, groups.flat())
  const events = groups.map((told) => ({
    scopes: scopesOf(...told.flatMap(({ item }) => postOf(item, known)?.campaignIds ?? [])),
    elements: told.map(({ item, more }) => {
      const element = elementOf(item, known)
      return { element: more ? { Item: element, ...more } : element, language: item.language }
    }),
  }))
  await emitAll(
    context,
    inboxEvents[event],
    events.map(({ scopes, elements }) => ({ scopes, data: elements.map(({ element }) => element) })),
  )
  for (const [name, tellsLanguage] of olderNames[event])
    await emitAll(
      context,
      inboxEvents[name],
      events.map(({ scopes, elements }) => ({
        scopes,
        data: elements.map(({ element, language }) => (tellsLanguage ? { ...element, Language: language } : element)),
      })),
    )
}

interface Known {
  profiles: Map<string, { name: string; picture: string }>
  /** By the postlog under which an item stands, with the campaigns of the post and of its message. */
  posts: Map<string, { postId: string; campaignIds: (string | null)[] }>
}

const postOf = ({ postlogId }: ItemRow, { posts }: Known) => posts.get(postlogId ?? '')

/** What is told of the profiles and posts beside the items. */
async function knownOf({ db, accountId }: Context, told: readonly Told[]): Promise<Known> {
  const credentialIds = [...new Set(told.map(({ item }) => item.credentialId))]
  const postlogIds = [...new Set(told.flatMap(({ item }) => item.postlogId ?? []))]
  const { rows } = await sql<{ id: string; first: string; second: string; campaignIds: (string | null)[] | null }>`
    select id, display_name as first, image_link as second, null::text[] as campaign_ids from credentials
    where account_id = ${accountId} and id = any (${credentialIds})
    union all select l.id, l.post_id, '', array[l.campaign_id, m.campaign_id] from postlogs l
      left join messages m on m.account_id = ${accountId} and m.id = l.message_id
      where l.account_id = ${accountId} and l.id = any (${postlogIds})`.execute(db)
  return {
    profiles: new Map(
      rows.flatMap(({ id, first: name, second: picture, campaignIds }) =>
        campaignIds ? [] : [[id, { name, picture }]],
      ),
    ),
    posts: new Map(
      rows.flatMap(({ id, first: postId, campaignIds }) => (campaignIds ? [[id, { postId, campaignIds }]] : [])),
    ),
  }
}

const element = wireForm(ItemElement)
const commentFacts = wireForm(CommentFacts)
const threadFacts = wireForm(ThreadFacts)

function elementOf(item: ItemRow, known: Known) {
  const { id, network: type, personId, personName, personUsername, personPicture } = item
  const { name = '', picture = '' } = known.profiles.get(item.credentialId) ?? {}
  const profile = { id: item.credentialId, name, picture, type }
  const person = { id: personId, name: personName || personUsername, picture: personPicture, type }
  const said = { text: item.text, media: item.media as string[] }
  const data =
    item.itemType === 'Conversation'
      ? threadFacts({ profile, remoteProfile: person, latestMessage: { ...said, created: item.lastActivity } })
      : commentFacts({
          postId: postOf(item, known)?.postId ?? item.postRemoteId,
          postUrl: item.postUrl,
          profile,
          commentProfile: person,
          postContent: { text: item.postText, media: item.postMedia as string[] },
          commentContent: said,
          commentDate: item.eventDate,
        })
  return element({ ...item, id: eventIdOf(id), data })
}

/** Webhooks know an item by another form of the same id. */
export const eventIdOf = (id: string) => `eitm${id.slice(3)}`
