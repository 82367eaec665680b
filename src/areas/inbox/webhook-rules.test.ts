import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EventName, eventTypes } from '#areas/events/catalogue/catalogue.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { type Publishing, startPublishing, until } from '../../../tests/support/publishing.ts'
import { inboxOf } from './inbox.fixture.ts'

/** Each action against the exact set of events it sends, current and legacy; whatever is not named is not sent. */

let publishing: Publishing
let inbox: ReturnType<typeof inboxOf>
beforeAll(async () => {
  publishing = await startPublishing()
  inbox = inboxOf(publishing)
})
afterAll(() => publishing.stop())

const somebody = '00Ademo00000002'
let numbered = 0

/** What an action is done to: two conversations on LinkedIn, where somebody named the page. */
interface Subject {
  id: string
  other: string
}

const ask = (route: string, body: object) => publishing.contributor(route, { body })
const replies = (id: string) =>
  ownerQuery<{ status: string }>(publishing.databaseUrl, 'select status from inbox_replies where item_id = $1', [id])
const replied = async ({ id }: Subject) => {
  const answer = await ask(`POST /conversation/${id}/reply`, { message: `Thanks ${process.pid} ${numbered++}` })
  await until(async () => (await replies(id)).every(({ status }) => status !== 'waiting'))
  return answer
}
const refusedByNetwork = async (subject: Subject) => {
  const answer = { status: 400, body: { message: 'No.' } }
  await publishing.sandbox.control('/fault', { network: 'LinkedIn', operation: 'comment', fault: 'answer', answer })
  return replied(subject)
}

interface Rule {
  /** What was done before, and is not looked at. */
  given?: (subject: Subject) => Promise<unknown>
  act: (subject: Subject) => Promise<unknown>
  tells: { readonly [event in EventName]?: number }
}

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
/** With an element for each of two. */
const twice = (tells: Rule['tells']) => Object.fromEntries(Object.keys(tells).map((name) => [name, 2])) as Rule['tells']

const rules: { readonly [action: string]: Rule } = {
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
    act: async () => publishing.contributor(`DELETE /conversation-tag/${await tagId('to be deleted')}`),
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
}

const tagId = async (name: string) => {
  const { json } = await publishing.reader('GET /conversation-tag', { query: `q=${encodeURIComponent(name)}` })
  return json.Items[0].Id as string
}
const replyId = async (id: string) =>
  (await publishing.reader(`GET /app/api/conversation/${id}/reply`)).json.Items[0].Id as string

async function subject(): Promise<Subject> {
  const one = async () => {
    const from = { id: `73000000000${String(numbered++).padStart(5, '0')}`, name: 'Robin Field' }
    const about = { network: 'LinkedIn', profile: '2414183', from, kind: 'mention', text: 'Hi', push: false }
    const { remoteId } = await publishing.sandbox.inject(about)
    return (await inbox.item({ itemType: 'Mention', remoteId, postRemoteId: '', personId: from.id })).id
  }
  return { id: await one(), other: await one() }
}

/** Which events tell of these, and of how many in each. */
async function told({ id, other }: Subject) {
  return (await inbox.events(id, other)).map(({ type, data }) => [type, data.length] as const)
}

test.each(Object.entries(rules))('%s', async (_, { given, act, tells }) => {
  const about = await subject()
  await given?.(about)
  const before = (await told(about)).length
  await act(about)
  expect((await told(about)).slice(before).toSorted()).toEqual(Object.entries(tells).toSorted())
})

test('every event that one of us causes is told by some action of the table', () => {
  const caused = new Set(Object.values(rules).flatMap(({ tells }) => Object.keys(tells)))
  const ofInbox = eventTypes.filter(({ group }) => group === 'Engagement').map(({ name }) => name as string)
  expect(ofInbox.filter((name) => !caused.has(name)).toSorted()).toEqual(fromOutside.toSorted())
})

/** What strangers cause, with its older names. */
const fromOutside = [
  ...['newInboxItem', 'newCommentOnInboxItem', 'newDirectMessageOnInboxItem'],
  ...['newConversation', 'conversationUpdated', 'newEngagementItem', 'updatedEngagementItem'],
]
