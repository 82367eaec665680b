import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUser } from '../../../tests/contract/examples.ts'
import { placeItem } from '../../../tests/support/inbox.ts'
import { until } from '../../../tests/support/publishing.ts'
import { inboxEvents } from './declarations.ts'
import { type ExternalPerson, externalPeople } from './ingest/external-person.fixture.ts'
import { type Inbox, profiles, startInbox } from './ingest/ingest.fixture.ts'

/** Each action of users and of external people against the exact set of events it sends, current and legacy; no other event may be sent. */

let inbox: Inbox
let stranger: () => ExternalPerson
let toldByOurs: Heard
let toldByStrangers: Heard
beforeAll(async () => {
  inbox = await startInbox(3600)
  await inbox.subscribed()
  stranger = await externalPeople(inbox)
  toldByOurs = await toldBy(ofOurs, subject, async ({ id, other }) => [id, other])
  toldByStrangers = await toldBy(ofStrangers, async () => stranger(), itemsWith)
})
afterAll(() => inbox.stop())

const somebody = '00Ademo00000002'
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
  const answer = await ask(`POST /conversation/${id}/reply`, { message: `Thanks ${process.pid} ${numbered++}` })
  await until(async () => (await replies(id)).every(({ status }) => status !== 'waiting'))
  return answer
}
const refusedByNetwork = async (subject: Subject) => {
  const answer = { status: 400, body: { message: 'No.' } }
  await inbox.sandbox.control('/fault', { network: 'LinkedIn', operation: 'comment', fault: 'answer', answer })
  return replied(subject)
}

interface Rule<About> {
  /** Preparation that isn't asserted. */
  given?: (about: About) => Promise<unknown>
  act: (about: About) => Promise<unknown>
  tells: Tells
}

type Tells = { readonly [event in keyof typeof inboxEvents | 'newLead' | 'newLeadActivity']?: number }

const close = ({ id }: Subject) => ask(`POST /conversation/${id}`, { status: 'closed' })
const open = ({ id }: Subject) => ask(`POST /conversation/${id}`, { status: 'open' })
const assign = ({ id }: Subject) => ask(`POST /conversation/${id}/assign`, { assignee_id: somebody })
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
const twice = (tells: Tells) => Object.fromEntries(Object.keys(tells).map((name) => [name, 2])) as Tells

const ofOurs: { readonly [action: string]: Rule<Subject> } = {
  'closing an open one': { act: close, tells: status },
  'closing a closed one': { given: close, act: close, tells: {} },
  'opening a closed one': { given: close, act: open, tells: status },
  'opening an open one': { act: open, tells: {} },
  'giving it to somebody': { act: assign, tells: assignment },
  'giving it to who has it': { given: assign, act: assign, tells: {} },
  'giving it to somebody with a note': {
    act: ({ id }) => ask(`POST /conversation/${id}/assign`, { assignee_id: somebody, note: 'Yours' }),
    tells: { ...assignment, ...note },
  },
  'taking it from somebody': { given: assign, act: many({ action: 'unassign' }), tells: {} },
  'a note': { act: ({ id }) => ask(`POST /conversation/${id}/note`, { note: 'Known' }), tells: note },
  'new tags': { act: tag(['a', 'b']), tells: { inboxItemTagChange: 1 } },
  'the same tags': { given: tag(['a', 'b']), act: tag(['B', 'a']), tells: {} },
  'no more tags': { given: tag(['a']), act: tag([]), tells: { inboxItemTagChange: 1 } },
  'renaming a tag': {
    given: tag(['to be renamed']),
    act: async () => ask(`POST /conversation-tag/${await tagId('to be renamed')}`, { tag: 'renamed' }),
    tells: {},
  },
  'deleting a tag': {
    given: tag(['to be deleted']),
    act: async () => inbox.contributor(`DELETE /conversation-tag/${await tagId('to be deleted')}`),
    tells: {},
  },
  'a reply that the network takes': { act: replied, tells: { inboxItemReplied: 1 } },
  'a reply that the network refuses': { act: refusedByNetwork, tells: {} },
  'a reply to a closed one': {
    given: close,
    act: ({ id }) => ask(`POST /conversation/${id}/reply`, { message: 'Hi' }),
    tells: {},
  },
  'marking a refused reply as sent': {
    given: refusedByNetwork,
    act: async ({ id }) => ask(`POST /app/api/reply/${await replyId(id)}/repair`, { action: 'mark-sent' }),
    tells: { inboxItemReplied: 1 },
  },
  'dropping a refused reply': {
    given: refusedByNetwork,
    act: async ({ id }) => ask(`POST /app/api/reply/${await replyId(id)}/repair`, { action: 'drop' }),
    tells: {},
  },
  'closing two at once': { act: many({ action: 'close' }), tells: twice(status) },
  'closing two of which one is closed': { given: close, act: many({ action: 'close' }), tells: status },
  'giving two at once': { act: many({ action: 'assign', assigneeId: somebody }), tells: twice(assignment) },
  'tagging two at once': { act: many({ action: 'tag', tags: ['c'] }), tells: { inboxItemTagChange: 2 } },
  'taking a tag from two of which one has it': {
    given: tag(['d']),
    act: many({ action: 'untag', tags: ['d'] }),
    tells: { inboxItemTagChange: 1 },
  },
  'deleting who takes care of it': {
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
    tells: {},
  },
}
let leaving = ''

const commented = async (who: ExternalPerson) => {
  who.before = await who.comment()
}
const answered = async (who: ExternalPerson) => {
  await commented(who)
  who.before = await who.comment({ kind: 'reply', parentId: who.before.remoteId })
}
const wrote = async (who: ExternalPerson) => {
  who.before = await who.message()
}
/** Started like this, then closed by a user. */
const closed = (begin: (who: ExternalPerson) => Promise<unknown>) => async (who: ExternalPerson) => {
  await begin(who)
  await inbox.settled()
  const [row] = await inbox.ask<{ item_id: string }>('select item_id from inbox_entries where remote_id = $1', [
    who.before.remoteId,
  ])
  await close({ id: row?.item_id ?? '', other: '' })
}
const below = (more: object) => (who: ExternalPerson) => who.comment({ parentId: who.before.remoteId, ...more })
const twiceTold = (act: (who: ExternalPerson) => Promise<unknown>) => async (who: ExternalPerson) => {
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'twice' })
  await act(who)
  await inbox.sandbox.control('/push', { network: 'Facebook', behaviour: 'normal' })
}

const begun = { newInboxItem: 1, newConversation: 1, newEngagementItem: 1 }
const older = { conversationUpdated: 1, updatedEngagementItem: 1 }
const said = { newCommentOnInboxItem: 1, ...older }
const written = { newDirectMessageOnInboxItem: 1, ...older }

const ofStrangers: { readonly [action: string]: Rule<ExternalPerson> } = {
  'a comment on a post': { act: (who) => who.comment(), tells: begun },
  'another comment on the same post': { given: commented, act: (who) => who.comment(), tells: begun },
  'a second comment below the first': { given: commented, act: below({}), tells: said },
  'an answer to a comment': { given: commented, act: below({ kind: 'reply' }), tells: said },
  'an answer to an answer': { given: answered, act: below({ kind: 'reply' }), tells: said },
  'a mention': { act: (who) => who.does({ kind: 'mention' }), tells: begun },
  'a first direct message': { act: (who) => who.message(), tells: begun },
  'a direct message that follows': { given: wrote, act: (who) => who.message(), tells: written },
  'a comment on a closed one': {
    given: closed(commented),
    act: below({ kind: 'reply' }),
    tells: { ...said, ...status },
  },
  'a direct message to a closed one': { given: closed(wrote), act: wrote, tells: { ...written, ...status } },
  'a remark of our own page under its post': { act: (who) => who.comment({ own: true }), tells: {} },
  'an answer of our own page, by hand': { given: commented, act: below({ own: true }), tells: {} },
  'an answer of our own page in a closed one': { given: closed(commented), act: below({ own: true }), tells: {} },
  'an answer to a remark of our own page': {
    given: async (who) => {
      who.before = await who.comment({ own: true })
    },
    act: below({}),
    tells: begun,
  },
  'an edit at the network': {
    given: commented,
    act: (who) => who.does({ kind: 'edit', remoteId: who.before.remoteId }),
    tells: {},
  },
  'an edit of a closed one': {
    given: closed(commented),
    act: (who) => who.does({ kind: 'edit', remoteId: who.before.remoteId }),
    tells: {},
  },
  'a deletion at the network': {
    given: commented,
    act: (who) => who.does({ kind: 'delete', remoteId: who.before.remoteId }),
    tells: {},
  },
  'a like': { given: commented, act: (who) => who.does({ kind: 'like', parentId: who.before.remoteId }), tells: {} },
  'a like of our own post': { act: (who) => who.does({ kind: 'like', postRemoteId: who.post }), tells: {} },
  'a comment that is told twice': { act: twiceTold((who) => who.comment()), tells: begun },
  'an answer that is told twice': { given: commented, act: twiceTold(below({})), tells: said },
  'a direct message that is told twice': { given: wrote, act: twiceTold(wrote), tells: written },
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
    const told = { from, kind: 'mention', text: 'Hi', push: false }
    const { remoteId } = await inbox.inject(profiles.linkedInPage, 'LinkedIn', told)
    const item = { itemType: 'Mention', remoteId, postRemoteId: '', personId: from.id } as const
    return (await placeItem(inbox.databaseUrl, item)).id
  }
  return { id: await one(), other: await one() }
}

/** Conversations in which the external person wrote. */
const itemsWith = async (who: ExternalPerson) => {
  const text = 'select distinct item_id from inbox_entries where person_id = $1'
  return (await inbox.ask<{ item_id: string }>(text, [who.id])).map((row) => row.item_id)
}

interface Told {
  id: string
  type: string
  data: { Id?: string; Item?: { Id: string } }[]
}

/** Every event of the inbox, of any item. */
async function told(): Promise<Told[]> {
  const text = 'select id, type, data from events where type = any ($1) order by id'
  const rows = await inbox.ask<{ id: string; type: string; data: string }>(text, [ofInbox])
  return rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) }))
}
const ofInbox = Object.keys(inboxEvents)

interface Heard {
  of: Map<string, Told[]>
  /** Events about no conversation of the table. */
  strange: Told[]
}

/** Events of each action: actions run one after another, and all events are awaited together. */
async function toldBy<About>(
  rules: { readonly [action: string]: Rule<About> },
  make: () => Promise<About>,
  itemsOf: (about: About) => Promise<string[]>,
): Promise<Heard> {
  const begun: { action: string; act: Rule<About>['act']; about: About }[] = []
  for (const [action, { given, act }] of Object.entries(rules)) {
    const about = await make()
    await given?.(about)
    begun.push({ action, act, about })
  }
  await inbox.settled()
  const before = new Set((await told()).map(({ id }) => id))
  for (const { act, about } of begun) await act(about)
  await inbox.settled()
  let left = (await told()).filter(({ id }) => !before.has(id))
  const of = new Map<string, Told[]>()
  for (const { action, about } of begun) {
    const keys = (await itemsOf(about)).map((id) => `eitm${id.slice(3)}`)
    const isTheirs = ({ data }: Told) => keys.includes(data[0]?.Item?.Id ?? data[0]?.Id ?? '')
    of.set(action, left.filter(isTheirs))
    left = left.filter((event) => !isTheirs(event))
  }
  return { of, strange: left }
}

/** Events with the number of their elements. */
const counted = (events: readonly Told[]) => events.map(({ type, data }) => [type, data.length]).toSorted()

test.each(Object.entries(ofOurs))('%s', (action, rule) => {
  expect(counted(toldByOurs.of.get(action) ?? [])).toEqual(Object.entries(rule.tells).toSorted())
})

test.each(Object.entries(ofStrangers))('%s, by external people', (action, rule) => {
  const events = toldByStrangers.of.get(action) ?? []
  expect(counted(events)).toEqual(Object.entries(rule.tells).toSorted())
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
  expect([...toldByOurs.strange, ...toldByStrangers.strange]).toEqual([])
  const caused = new Set(
    [...Object.values(ofOurs), ...Object.values(ofStrangers)].flatMap(({ tells }) => Object.keys(tells)),
  )
  expect(ofInbox.filter((name) => !caused.has(name))).toEqual([])
})
