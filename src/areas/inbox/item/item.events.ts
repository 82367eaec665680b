import { sql } from 'kysely'
import { emitAll, scopesOf } from '#areas/events/event.ts'
import { sampleIds } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { inboxEvents } from '../declarations.ts'
import type { ItemRow } from './item.ts'
import { CommentFacts, ItemElement, ItemTag, ThreadFacts } from './item-shape.ts'

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
const eventIdOf = (id: string) => `eitm${id.slice(3)}`

/** Sample payloads of webhooks, built from their shapes. */

const at = '2026-03-03 11:41:55'

const profile = {
  Id: sampleIds.profile,
  Name: 'Example Outdoors',
  Picture: 'https://www.example.com/images/example-outdoors.png',
  Type: 'LinkedIn',
}

/** An external person: the id is the network's. */
const person = {
  Id: '55501990',
  Name: 'Robin Field',
  Picture: 'https://www.example.com/images/robin-field.png',
  Type: 'LinkedIn',
}

const question = 'Is there a walk on it for a rainy afternoon?'
const thanks = 'Thanks! Could you send me the map as a file?'
const post = 'https://www.example.com/company/example-outdoors/posts/7301'

const sampleElement = (known: Partial<typeof ItemElement.example>) =>
  sampleOf(ItemElement, { Created: at, EventDate: at, Network: 'LinkedIn', Status: 'open', ...known })

/** An item that started with a comment on the account's own post. */
const comment = sampleElement({
  Id: sampleIds.inboxItem,
  ItemType: 'Post',
  Url: `${post}#comment-88`,
  Origin: 'owned',
  Data: sampleOf(CommentFacts, {
    PostId: sampleIds.post,
    PostURL: post,
    Profile: profile,
    CommentProfile: person,
    PostContent: {
      Text: 'Our spring trail guide is out: forty walks, all reachable by train.',
      Media: ['https://www.example.com/images/trail-guide.jpg'],
    },
    CommentContent: { Text: question, Media: [] },
    CommentDate: at,
  }),
})

/** A thread of direct messages. */
const thread = sampleElement({
  Id: sampleIds.conversation,
  ItemType: 'Conversation',
  Url: 'https://www.example.com/messaging/thread/4410',
  Origin: 'external',
  Data: sampleOf(ThreadFacts, {
    Profile: profile,
    RemoteProfile: person,
    LatestMessage: { Text: thanks, Media: [], Created: at },
  }),
})

const tag = (Id: string, Name: string) => sampleOf(ItemTag, { Id, Name })
const [unchanged, added, removed] = [
  tag(sampleIds.keptTag, 'question'),
  tag(sampleIds.addedTag, 'trail guide'),
  tag(sampleIds.removedTag, 'unsorted'),
]

const current = {
  newInboxItem: comment,
  newCommentOnInboxItem: { Item: comment, Text: question },
  newDirectMessageOnInboxItem: { Item: thread, Text: thanks },
  inboxItemReplied: { Item: comment, Text: 'There is: number twelve stays under trees all the way.' },
  newNoteOnInboxItem: {
    Item: comment,
    Note: { Id: sampleIds.timelineEntry, Text: 'The map team knows the answer.', CreatedBy: sampleIds.user },
  },
  newInboxItemAssignment: {
    Item: comment,
    Assignee: { Id: sampleIds.assignee, Email: 'sam.rivers@example.com' },
  },
  inboxItemStatusChange: { Item: { ...comment, Status: 'closed' }, Status: { From: 'open', To: 'closed' } },
  inboxItemTagChange: { Item: comment, Tags: { Added: [added], Removed: [removed], Current: [unchanged, added] } },
} satisfies { [event in ItemEvent]: object }

const Language = 'en'

/** The contract documents no payloads of the older types: each equals the type that replaced it. */
export const inboxSamples = {
  ...current,
  newConversation: { ...current.newInboxItem, Language },
  conversationUpdated: { ...current.newCommentOnInboxItem, Language },
  newNoteOnConversation: current.newNoteOnInboxItem,
  newAssignment: current.newInboxItemAssignment,
  conversationStatusUpdated: current.inboxItemStatusChange,
  newEngagementItem: current.newInboxItem,
  updatedEngagementItem: current.newCommentOnInboxItem,
}
