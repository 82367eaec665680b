import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUser } from '../../../tests/contract/examples.ts'
import { placeItem } from '../../../tests/support/inbox.ts'
import { until } from '../../../tests/support/publishing.ts'
import { inboxEvents } from './declarations.ts'
import { type ExternalPerson, externalPeople } from './ingest/external-person.fixture.ts'
import { type Inbox, profiles, startInbox } from './ingest/ingest.fixture.ts'

/** Each action of users and of external people against the exact set of events it sends, current and legacy; no other event may be sent. */

let inbox: Inbox
let newPerson: () => ExternalPerson
let userEvents: EventsByAction
let externalEvents: EventsByAction
beforeAll(async () => {
  inbox = await startInbox(3600)
  await inbox.subscribed()
  newPerson = await externalPeople(inbox)
  userEvents = await eventsOf(userActions, subject, async ({ id, other }) => [id, other])
  externalEvents = await eventsOf(externalActions, async () => newPerson(), itemsWith)
})
afterAll(() => inbox.stop())

const otherUser = '00Ademo00000002'
let numbered = 0

/** Target of an action: two conversations on LinkedIn that mention the page. */
interface Subject {
  id: string
  other: string
}

const ask = (route: string, body: object) => inbox.contributor(route, { body })
const replies = (id: string) =>
  inbox.ask<{ status: string }>('select status from inbox_replies where item_id = $1', [id])
const replied = async ({ id }: Subject) => {
  const response = await ask(`POST /conversation/${id}/reply`, { message: `Thanks ${process.pid} ${numbered++}` })
  await until(async () => (await replies(id)).every(({ status }) => status !== 'waiting'))
  return response
}
const refusedByNetwork = async (subject: Subject) => {
  const response = { status: 400, body: { message: 'No.' } }
  await inbox.sandbox.control('/fault', {
    network: 'LinkedIn',
    operation: 'comment',
    fault: 'answer',
    answer: response,
  })
  return replied(subject)
}

interface Rule<About> {
  /** Preparation that isn't asserted. */
  given?: (about: About) => Promise<unknown>
  act: (about: About) => Promise<unknown>
  sends: SentEvents
}

type SentEvents = { readonly [event in keyof typeof inboxEvents | 'newLead' | 'newLeadActivity']?: number }

const close = ({ id }: Subject) => ask(`POST /conversation/${id}`, { status: 'closed' })
const open = ({ id }: Subject) => ask(`POST /conversation/${id}`, { status: 'open' })
const assign = ({ id }: Subject) => ask(`POST /conversation/${id}/assign`, { assignee_id: otherUser })
const tag =
  (tags: string[]) =>
  ({ id }: Subject) =>
    ask(`POST /conversation/${id}/tag`, { tags })
const many =
  (body: object) =>
  ({ id, other }: Subject) =>
    ask('POST /app/api/conversations', { ids: [id, other], ...body })

const status = { inboxItemStatusChange: 1, conversationStatusUpdated: 1 }
const assignment = { newInboxItemAssignment: 1, newAssignment: 1 }
const note = { newNoteOnInboxItem: 1, newNoteOnConversation: 1 }
/** With two elements. */
const twice = (sends: SentEvents) => Object.fromEntries(Object.keys(sends).map((name) => [name, 2])) as SentEvents

const userActions: { readonly [action: string]: Rule<Subject> } = {
  'closing an open one': { act: close, sends: status },
  'closing a closed one': { given: close, act: close, sends: {} },
  'opening a closed one': { given: close, act: open, sends: status },
  'opening an open one': { act: open, sends: {} },
  'assigning it': { act: assign, sends: assignment },
  'assigning it to its assignee': { given: assign, act: assign, sends: {} },
  'assigning it with a note': {
    act: ({ id }) => ask(`POST /conversation/${id}/assign`, { assignee_id: otherUser, note: 'Yours' }),
    sends: { ...assignment, ...note },
  },
  'unassigning it': { given: assign, act: many({ action: 'unassign' }), sends: {} },
  'a note': { act: ({ id }) => ask(`POST /conversation/${id}/note`, { note: 'Known' }), sends: note },
  'new tags': { act: tag(['a', 'b']), sends: { inboxItemTagChange: 1 } },
  'the same tags': { given: tag(['a', 'b']), act: tag(['B', 'a']), sends: {} },
  'no more tags': { given: tag(['a']), act: tag([]), sends: { inboxItemTagChange: 1 } },
  'renaming a tag': {
    given: tag(['to be renamed']),
    act: async () => ask(`POST /conversation-tag/${await tagId('to be renamed')}`, { tag: 'renamed' }),
    sends: {},
  },
  'deleting a tag': {
    given: tag(['to be deleted']),
    act: async () => inbox.contributor(`DELETE /conversation-tag/${await tagId('to be deleted')}`),
    sends: {},
  },
  'a reply that the network accepts': { act: replied, sends: { inboxItemReplied: 1 } },
  'a reply that the network rejects': { act: refusedByNetwork, sends: {} },
  'a reply to a closed one': {
    given: close,
    act: ({ id }) => ask(`POST /conversation/${id}/reply`, { message: 'Hi' }),
    sends: {},
  },
  'marking a rejected reply as sent': {
    given: refusedByNetwork,
    act: async ({ id }) => ask(`POST /app/api/reply/${await replyId(id)}/repair`, { action: 'mark-sent' }),
    sends: { inboxItemReplied: 1 },
  },
  'dropping a rejected reply': {
    given: refusedByNetwork,
    act: async ({ id }) => ask(`POST /app/api/reply/${await replyId(id)}/repair`, { action: 'drop' }),
    sends: {},
  },
  'closing two at once': { act: many({ action: 'close' }), sends: twice(status) },
  'closing two of which one is closed': { given: close, act: many({ action: 'close' }), sends: status },
  'assigning two at once': { act: many({ action: 'assign', assigneeId: otherUser }), sends: twice(assignment) },
  'tagging two at once': { act: many({ action: 'tag', tags: ['c'] }), sends: { inboxItemTagChange: 2 } },
  'removing a tag from two of which one has it': {
    given: tag(['d']),
    act: many({ action: 'untag', tags: ['d'] }),
    sends: { inboxItemTagChange: 1 },
  },
  'deleting its assignee': {
    given: async (about) => {
      const { json } = await inbox.admin('POST /user', { body: newUser() })
      leaving = json.User.Id
      await ask(`POST /conversation/${about.id}/assign`, { assignee_id: leaving })
    },
    act: async ({ id }) => {
      await inbox.admin(`DELETE /user/${leaving}`)
      await until(
        async () => (await inbox.reader(`GET /app/api/conversation/${id}`)).json.Conversation.AssigneeId === null,
      )
    },
    sends: {},
  },
}
let leaving = ''

const commented = async (person: ExternalPerson) => {
  person.before = await person.comment()
}
const answered = async (person: ExternalPerson) => {
  await commented(person)
  person.before = await person.comment({ kind: 'reply', parentId: person.before.remoteId })
}
const messaged = async (person: ExternalPerson) => {
  person.before = await person.message()
}
/** Started like this, then closed by a user. */
const closed = (start: (person: ExternalPerson) => Promise<unknown>) => async (person: ExternalPerson) => {
  await start(person)
  await inbox.settled()
  const [row] = await inbox.ask<{ item_id: string }>('select item_id from inbox_entries where remote_id = $1', [
    person.before.remoteId,
  ])
  await close({ id: row?.item_id ?? '', other: '' })
}
const below = (more: object) => (person: ExternalPerson) =>
  person.comment({ parentId: person.before.remoteId, ...more })
const pushedTwice = (act: (person: ExternalPerson) => Promise<unknown>) => async (person: ExternalPerson) => {
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'twice' })
  await act(person)
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'normal' })
}

const started = { newInboxItem: 1, newConversation: 1, newEngagementItem: 1 }
const older = { conversationUpdated: 1, updatedEngagementItem: 1 }
const commentEvents = { newCommentOnInboxItem: 1, ...older }
const messageEvents = { newDirectMessageOnInboxItem: 1, ...older }

const externalActions: { readonly [action: string]: Rule<ExternalPerson> } = {
  'a comment on a post': { act: (person) => person.comment(), sends: started },
  'another comment on the same post': { given: commented, act: (person) => person.comment(), sends: started },
  'a second comment below the first': { given: commented, act: below({}), sends: commentEvents },
  'a reply to a comment': { given: commented, act: below({ kind: 'reply' }), sends: commentEvents },
  'a reply to a reply': { given: answered, act: below({ kind: 'reply' }), sends: commentEvents },
  'a mention': { act: (person) => person.does({ kind: 'mention' }), sends: started },
  'a first direct message': { act: (person) => person.message(), sends: started },
  'a direct message that follows': { given: messaged, act: (person) => person.message(), sends: messageEvents },
  'a comment on a closed one': {
    given: closed(commented),
    act: below({ kind: 'reply' }),
    sends: { ...commentEvents, ...status },
  },
  'a direct message to a closed one': {
    given: closed(messaged),
    act: messaged,
    sends: { ...messageEvents, ...status },
  },
  'a comment of our own page under its post': { act: (person) => person.comment({ own: true }), sends: {} },
  'a reply of our own page, sent on the network': { given: commented, act: below({ own: true }), sends: {} },
  'a reply of our own page in a closed one': { given: closed(commented), act: below({ own: true }), sends: {} },
  'a reply to a comment of our own page': {
    given: async (person) => {
      person.before = await person.comment({ own: true })
    },
    act: below({}),
    sends: started,
  },
  'an edit on the network': {
    given: commented,
    act: (person) => person.does({ kind: 'edit', remoteId: person.before.remoteId }),
    sends: {},
  },
  'an edit of a closed one': {
    given: closed(commented),
    act: (person) => person.does({ kind: 'edit', remoteId: person.before.remoteId }),
    sends: {},
  },
  'a deletion on the network': {
    given: commented,
    act: (person) => person.does({ kind: 'delete', remoteId: person.before.remoteId }),
    sends: {},
  },
  'a like': {
    given: commented,
    act: (person) => person.does({ kind: 'like', parentId: person.before.remoteId }),
    sends: {},
  },
  'a like of our own post': { act: (person) => person.does({ kind: 'like', postRemoteId: person.post }), sends: {} },
  'a comment that is pushed twice': { act: pushedTwice((person) => person.comment()), sends: started },
  'a reply that is pushed twice': { given: commented, act: pushedTwice(below({})), sends: commentEvents },
  'a direct message that is pushed twice': { given: messaged, act: pushedTwice(messaged), sends: messageEvents },
}

const tagId = async (name: string) => {
  const { json } = await inbox.reader('GET /conversation-tag', { query: `q=${encodeURIComponent(name)}` })
  return json.Items[0].Id as string
}
const replyId = async (id: string) =>
  (await inbox.reader(`GET /app/api/conversation/${id}/reply`)).json.Items[0].Id as string

async function subject(): Promise<Subject> {
  const one = async () => {
    const from = { id: `73000000000${String(numbered++).padStart(5, '0')}`, name: 'Robin Field' }
    const mention = { from, kind: 'mention', text: 'Hi', push: false }
    const { remoteId } = await inbox.inject(profiles.linkedInPage, 'LinkedIn', mention)
    const item = { itemType: 'Mention', remoteId, postRemoteId: '', personId: from.id } as const
    return (await placeItem(inbox.databaseUrl, item)).id
  }
  return { id: await one(), other: await one() }
}

/** Conversations in which the external person wrote. */
const itemsWith = async (person: ExternalPerson) => {
  const text = 'select distinct item_id from inbox_entries where person_id = $1'
  return (await inbox.ask<{ item_id: string }>(text, [person.id])).map((row) => row.item_id)
}

interface StoredEvent {
  id: string
  type: string
  data: { Id?: string; Item?: { Id: string } }[]
}

/** Every event of the inbox, of any item. */
async function storedEvents(): Promise<StoredEvent[]> {
  const text = 'select id, type, data from events where type = any ($1) order by id'
  const rows = await inbox.ask<{ id: string; type: string; data: string }>(text, [ofInbox])
  return rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) }))
}
const ofInbox = Object.keys(inboxEvents)

interface EventsByAction {
  of: Map<string, StoredEvent[]>
  /** Events about no conversation of the table. */
  unmatched: StoredEvent[]
}

/** Events of each action: actions run one after another, and all events are awaited together. */
async function eventsOf<About>(
  rules: { readonly [action: string]: Rule<About> },
  make: () => Promise<About>,
  itemsOf: (about: About) => Promise<string[]>,
): Promise<EventsByAction> {
  const started: { action: string; act: Rule<About>['act']; about: About }[] = []
  for (const [action, { given, act }] of Object.entries(rules)) {
    const about = await make()
    await given?.(about)
    started.push({ action, act, about })
  }
  await inbox.settled()
  const before = new Set((await storedEvents()).map(({ id }) => id))
  for (const { act, about } of started) await act(about)
  await inbox.settled()
  let left = (await storedEvents()).filter(({ id }) => !before.has(id))
  const of = new Map<string, StoredEvent[]>()
  for (const { action, about } of started) {
    const keys = (await itemsOf(about)).map((id) => `eitm${id.slice(3)}`)
    const isTheirs = ({ data }: StoredEvent) => keys.includes(data[0]?.Item?.Id ?? data[0]?.Id ?? '')
    of.set(action, left.filter(isTheirs))
    left = left.filter((event) => !isTheirs(event))
  }
  return { of, unmatched: left }
}

/** Events with the number of their elements. */
const counted = (events: readonly StoredEvent[]) => events.map(({ type, data }) => [type, data.length]).toSorted()

test.each(Object.entries(userActions))('%s', (action, rule) => {
  expect(counted(userEvents.of.get(action) ?? [])).toEqual(Object.entries(rule.sends).toSorted())
})

test.each(Object.entries(externalActions))('%s, by external people', (action, rule) => {
  const events = externalEvents.of.get(action) ?? []
  expect(counted(events)).toEqual(Object.entries(rule.sends).toSorted())
  for (const { type, data } of events) expect([type, keysOf(data[0])]).toEqual([type, elements[type]])
})

const keysOf = (element: object | undefined) => Object.keys(element ?? {}).toSorted()
const itemKeys = ['Created', 'Data', 'EventDate', 'Id', 'ItemType', 'Network', 'Origin', 'Status', 'Url']
/** Fields of each event's elements: only two legacy ones have the language. */
const elements: { readonly [event: string]: readonly string[] } = {
  newInboxItem: itemKeys,
  newConversation: [...itemKeys, 'Language'].toSorted(),
  newEngagementItem: itemKeys,
  newCommentOnInboxItem: ['Item', 'Text'],
  newDirectMessageOnInboxItem: ['Item', 'Text'],
  conversationUpdated: ['Item', 'Language', 'Text'],
  updatedEngagementItem: ['Item', 'Text'],
  inboxItemStatusChange: ['Item', 'Status'],
  conversationStatusUpdated: ['Item', 'Status'],
}

test('every event of the inbox is covered by an action of the table, and no other is sent', () => {
  expect([...userEvents.unmatched, ...externalEvents.unmatched]).toEqual([])
  const caused = new Set(
    [...Object.values(userActions), ...Object.values(externalActions)].flatMap(({ sends }) => Object.keys(sends)),
  )
  expect(ofInbox.filter((name) => !caused.has(name))).toEqual([])
})
