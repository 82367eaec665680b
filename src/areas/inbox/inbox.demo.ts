import type { Insertable, InsertObject } from 'kysely'
import { contributor, daysFrom, demoId, owner, publisher } from '#areas/account/account.demo.ts'
import type { Context } from '#kernel/context.ts'
import type { DB, InboxEntries } from '#kernel/database/tables.ts'
import { type DemoItem, type DemoPost, placesOf, repliesIn, sent } from './demo/demo-item.demo.ts'
import { demoItems, demoTags } from './demo/item-table.demo.ts'
import { itemsChanged } from './item/item.ts'
import { termsColumn } from './item/search-terms.ts'
/** Fills an empty inbox with items of the last weeks. */
export async function seedInbox(context: Context) {
  const { db, accountId } = context
  const some = await db.selectFrom('inboxItems').select('id').where('accountId', '=', accountId).executeTakeFirst()
  if (some) return
  await seedItems(context)
  await seedResponses(context)
  // Two users who read the inbox daily: items since yesterday are unread.
  const readers = [owner, publisher].map((userId) => ({ accountId, userId, allBefore: daysFrom(context)(-1) }))
  await db.insertInto('inboxReadCursors').values(readers).execute()
}

/** Items of every type on every network over the last weeks, with their entries. */
async function seedItems(context: Context) {
  const { db } = context
  const locations = await placesOf(context)
  const made = demoItems.map((item, index) => {
    const { credentialId, posts } = locations.get(item.network) ?? { credentialId: '', posts: [] }
    const number = index + 1
    const entries = entriesOf(context, item, number, credentialId)
    return { item, entries, row: rowOf(context, item, number, entries, posts[number % Math.max(posts.length, 1)]) }
  })
  // Profiles removed by the demo's user have no items.
  const kept = made.filter(({ row }) => row.credentialId !== '')
  const items = await db
    .insertInto('inboxItems')
    .values(kept.map(({ row }) => row))
    .returning(['id', 'credentialId', 'network', 'itemType', 'status', 'assigneeId'])
    .execute()
  const entries = kept.flatMap((one) => one.entries)
  await db.insertInto('inboxEntries').values(entries).execute()
  await db
    .insertInto('inboxReplies')
    .values(kept.flatMap((one) => repliesIn(one.item, one.entries)))
    .execute()
  await seedTags(context, new Set(items.map(({ id }) => id)))
  await itemsChanged(context, [], items)
}

type Entry = Insertable<InboxEntries>
type DemoEntry = Omit<Entry, 'accountId' | 'id' | 'itemId' | 'credentialId' | 'created'>

const entryInterval = 17 * 60_000

/** The first message, the following messages, and the actions. */
function entriesOf(context: Context, item: DemoItem, number: number, credentialId: string): Entry[] {
  const { type, person, text, language, later, assignee, isClosed } = item
  const isThread = type === 'Conversation'
  const remoteId = remoteIdOf(item, number)
  const started = daysFrom(context)(-startedDaysAgo(number)).getTime()
  const incoming = { type: isThread ? 'message' : 'comment', isOwn: false, language } as const
  const ownFields = { isOwn: true, createdBy: assignee || owner }
  const answers = later.map(([author, content], at): DemoEntry => {
    if (author === 'note') return { ...ownFields, type: 'note', content }
    const of = { content, remoteId: `${remoteId}-${at + 1}`, parentRemoteId: isThread ? '' : remoteId }
    if (author === 'us') return { ...ownFields, ...of, ...sent(number * 20 + at), type: isThread ? 'message' : 'reply' }
    return { ...incoming, ...of, ...personOf(author === 'they' ? person : author) }
  })
  const all: DemoEntry[] = [{ ...incoming, remoteId, content: text, ...personOf(person) }, ...answers]
  if (assignee) all.push({ ...ownFields, type: 'assignment', details: JSON.stringify({ assigneeId: assignee }) })
  if (isClosed) all.push({ ...ownFields, type: 'status', details: JSON.stringify({ from: 'open', to: 'closed' }) })
  return all.map((entry, at) => ({
    accountId: context.accountId,
    id: demoId('eat', number * 20 + at),
    itemId: demoId('eit', number),
    credentialId,
    created: new Date(started + at * entryInterval),
    ...entry,
  }))
}

const keys = { Conversation: 'thread', Post: 'comment', Mention: 'mention', Reply: 'reply' }

function rowOf(
  { accountId }: Context,
  item: DemoItem,
  number: number,
  entries: readonly Entry[],
  of?: DemoPost,
): InsertObject<DB, 'inboxItems'> {
  const { network, type: itemType, person, text, language, assignee: assigneeId, isClosed } = item
  const received = entries.filter(({ isOwn }) => !isOwn)
  const [first, last, end] = [entries[0], received.at(-1), entries.at(-1)] as [Entry, Entry, Entry]
  const post = itemType === 'Post' || itemType === 'Reply' ? of : undefined
  const kept = [...received, ...entries.filter(({ type }) => type === 'note')]
  return {
    accountId,
    id: first.itemId,
    created: first.created,
    modified: end.created,
    credentialId: first.credentialId,
    network,
    itemType,
    origin: itemType === 'Post' ? 'owned' : 'external',
    assigneeId,
    language,
    ...personOf(person),
    status: isClosed ? 'closed' : 'open',
    remoteKey: `${keys[itemType]}:${remoteIdOf(item, number)}`,
    eventDate: first.created,
    lastActivity: last.created,
    entries: entries.length,
    postRemoteId: post?.remoteId ?? '',
    postUrl: post?.url ?? '',
    postText: post?.text ?? '',
    postlogId: post?.id ?? null,
    text: itemType === 'Conversation' ? (last.content ?? text) : text,
    words: termsColumn(
      accountId,
      kept.flatMap(({ personName = '', content = '' }) => [personName, content]),
    ),
  }
}

const remoteIdOf = ({ network }: DemoItem, number: number) => `demo-${network.toLowerCase()}-${number}`

/** The first an hour ago, the last six weeks. */
const startedDaysAgo = (number: number) => 0.05 + (number * number) / 90

function personOf(name: string) {
  const username = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]/gu, '')
  return { personId: `demo-${username}`, personName: name, personUsername: username }
}

async function seedTags(context: Context, itemIds: ReadonlySet<string>) {
  const { db, accountId, now } = context
  const created = daysFrom(context)(-50)
  const tags = demoTags.map((value, index) => ({
    accountId,
    id: demoId('etg', index + 1),
    created,
    modified: created,
    createdBy: owner,
    value,
  }))
  await db.insertInto('conversationTags').values(tags).execute()
  const tagged = demoItems.flatMap((item, index) => {
    const itemId = demoId('eit', index + 1)
    return item.tags.map((tag) => ({ accountId, itemId, tagId: demoId('etg', tag), created: now }))
  })
  await db
    .insertInto('inboxItemTags')
    .values(tagged.filter(({ itemId }) => itemIds.has(itemId)))
    .execute()
}

const responses = [
  [
    'shared',
    owner,
    'Where is my parcel',
    'Thank you for asking. Could you send us the order number in a message? We will look at once where it is.',
  ],
  [
    'shared',
    owner,
    'Returns',
    'You can send anything back within 60 days. The form is in your account under Orders; we pay the postage.',
  ],
  [
    'shared',
    publisher,
    'Repairs',
    'We mend what we sell, and often what others sold. Tell us what broke, with a photo if you can.',
  ],
  ['shared', publisher, 'Gracias', '¡Gracias por contárnoslo! Se lo pasamos al equipo, que se alegrará mucho.'],
  ['shared', owner, 'Danke', 'Vielen Dank für die Nachricht! Wir melden uns noch heute mit einer Antwort.'],
  ['private', publisher, 'My sign-off', 'All the best from the repair bench, Pablo'],
  [
    'private',
    contributor,
    'Reuse of clips',
    'You are welcome to use the clip if you name us and link to the whole film. Have fun with it!',
  ],
] as const

const views = [
  [owner, true, 'Complaints', { statuses: ['open'], tagIds: [demoId('etg', 2)] }],
  [publisher, true, 'Messages in Spanish-speaking hours', { statuses: ['open'], types: ['Conversation'] }],
  [publisher, false, 'Parcels', { q: 'parcel' }],
] as const

/** Shared and private canned responses, and saved views. */
async function seedResponses(context: Context) {
  const { db, accountId } = context
  const at = daysFrom(context)
  await db
    .insertInto('cannedResponses')
    .values(
      responses.map(([visibility, createdBy, name, content], index) => ({
        accountId,
        id: demoId('cnr', index + 1),
        created: at(index - 40),
        modified: at(index - 40),
        createdBy,
        name,
        content,
        visibility,
      })),
    )
    .execute()
  await db
    .insertInto('inboxViews')
    .values(
      views.map(([createdBy, isShared, name, filters], index) => ({
        accountId,
        id: demoId('0iv', index + 1),
        created: at(index - 30),
        modified: at(index - 30),
        createdBy,
        isShared,
        name,
        position: index,
        filters: JSON.stringify(filters),
      })),
    )
    .execute()
}
