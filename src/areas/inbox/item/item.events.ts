import { sql } from 'kysely'
import { emitAll, scopesOf } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { wireForm } from '#kernel/wire/fields.ts'
import { inboxEvents } from '../declarations.ts'
import type { ItemRow } from './item.ts'
import { CommentFacts, ItemElement, ThreadFacts } from './item-shape.ts'

/** Legacy names an event is also sent as, and whether they include the language. */
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

/** An item with event data: the text, the note, the status. */
export interface ItemEventData {
  item: ItemRow
  more?: object
}

/** Publishes one event about one or several items. */
export const publishItemsEvent = (context: Context, event: ItemEvent, items: readonly ItemEventData[]) =>
  publish(context, event, items.length > 0 ? [items] : [])

/** Publishes one event per item. */
export const publishItemEvents = (context: Context, event: ItemEvent, items: readonly ItemEventData[]) =>
  publish(
    context,
    event,
    items.map((one) => [one]),
  )

/** Publishes one event per group. */
async function publish(context: Context, event: ItemEvent, groups: readonly (readonly ItemEventData[])[]) {
  if (groups.length === 0) return
  const known = await knownOf(context, groups.flat())
  const events = groups.map((items) => ({
    scopes: scopesOf(...items.flatMap(({ item }) => postOf(item, known)?.campaignIds ?? [])),
    elements: items.map(({ item, more }) => {
      const element = elementOf(item, known)
      return { element: more ? { Item: element, ...more } : element, language: item.language }
    }),
  }))
  await emitAll(
    context,
    inboxEvents[event],
    events.map(({ scopes, elements }) => ({ scopes, data: elements.map(({ element }) => element) })),
  )
  for (const [name, hasLanguage] of olderNames[event])
    await emitAll(
      context,
      inboxEvents[name],
      events.map(({ scopes, elements }) => ({
        scopes,
        data: elements.map(({ element, language }) => (hasLanguage ? { ...element, Language: language } : element)),
      })),
    )
}

interface Known {
  profiles: Map<string, { name: string; picture: string }>
  /** By postlog id of an item, with the campaigns of the post and of its message. */
  posts: Map<string, { postId: string; campaignIds: (string | null)[] }>
}

const postOf = ({ postlogId }: ItemRow, { posts }: Known) => posts.get(postlogId ?? '')

/** Profiles and posts for the payloads. */
async function knownOf({ db, accountId }: Context, items: readonly ItemEventData[]): Promise<Known> {
  const credentialIds = [...new Set(items.map(({ item }) => item.credentialId))]
  const postlogIds = [...new Set(items.flatMap(({ item }) => item.postlogId ?? []))]
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
  const texts = { text: item.text, media: item.media as string[] }
  const data =
    item.itemType === 'Conversation'
      ? threadFacts({ profile, remoteProfile: person, latestMessage: { ...texts, created: item.lastActivity } })
      : commentFacts({
          postId: postOf(item, known)?.postId ?? item.postRemoteId,
          postUrl: item.postUrl,
          profile,
          commentProfile: person,
          postContent: { text: item.postText, media: item.postMedia as string[] },
          commentContent: texts,
          commentDate: item.eventDate,
        })
  return element({ ...item, id: eventIdOf(id), data })
}

/** Webhooks use another form of the same id. */
export const eventIdOf = (id: string) => `eitm${id.slice(3)}`
