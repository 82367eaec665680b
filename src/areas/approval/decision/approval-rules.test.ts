import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '../../../../tests/support/caller.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { approvals, pablo } from '../approval.fixture.ts'

type Who = 'admin' | 'approver' | 'stranger' | 'sender'
type Where = 'First' | 'Second' | 'nowhere'
type Outcome = [code: number, status: string, approveStatus: string, waits: Where]

let service: TestService
let given: ReturnType<typeof approvals>
let people: Record<Who, Caller>
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
  const outsider = (await given.user('publisher', 'stranger')).as
  people = { admin: service.admin, approver: service.publisher, stranger: outsider, sender: service.contributor }
})
afterAll(() => service.stop())

const hour = 60 * 60 * 1000
const inHours = (hours: number) => Math.floor((Date.now() + hours * hour) / 1000)

interface Post {
  Id: string
  MessageId: string
}

/** Actions on a post or its message. */
const actions = {
  schedule: (as: Caller, { Id }: Post) => as(`POST /post/${Id}`, { body: { status: 'pending' } }),
  'stop and schedule': async (as: Caller, { Id }: Post) => {
    await as(`POST /post/${Id}`, { body: { status: 'draft' } })
    return as(`POST /post/${Id}`, { body: { status: 'pending' } })
  },
  text: (as: Caller, { MessageId }: Post) => as(`POST /message/${MessageId}`, { body: { message: 'Other words' } }),
  media: (as: Caller, { MessageId }: Post) => as(`POST /message/${MessageId}`, { body: { media: '026demo00000001' } }),
  profiles: (as: Caller, { Id }: Post) => as(`POST /post/${Id}`, { body: { credentialIds: '003-1-2414184' } }),
  comment: (as: Caller, { Id }: Post) => as(`POST /post/${Id}`, { body: { firstComment: { text: 'First' } } }),
  time: (as: Caller, { Id }: Post) => as(`POST /post/${Id}`, { body: { startDateTime: inHours(30) } }),
  tags: (as: Caller, { MessageId }: Post) => as(`POST /message/${MessageId}`, { body: { tagIds: '0AFdemo00000001' } }),
  'the same again': (as: Caller, { Id, MessageId }: Post) =>
    as(`POST /message/${MessageId}`, { body: { message: 'To be approved' } }).then(() =>
      as(`POST /post/${Id}`, { body: { credentialIds: '003-1-2414183', firstComment: 'null' } }),
    ),
  move: (as: Caller, { Id }: Post) =>
    as(`POST /post/${Id}/change-campaign`, { body: { campaignId: '002demo00000002' } }),
  'take out': (as: Caller, { Id }: Post) => as(`DELETE /workflow-item/${Id}`),
  reject: (as: Caller, { Id }: Post) => as(`POST /workflow-item/${Id}`, { body: { isApprove: 0 } }),
  approve: (as: Caller, { Id }: Post) => as(`POST /workflow-item/${Id}`),
}
type Action = keyof typeof actions

const all: Who[] = ['admin', 'approver', 'stranger', 'sender']
const deciders: Who[] = ['admin', 'approver']
const others: Who[] = ['stranger', 'sender']
const publishers: Who[] = ['admin', 'approver', 'stranger']
const anew: Outcome = [200, 'draft', 'Pending', 'First']

/** The expected outcome for a contributor's post that two steps have to approve, by its state, the action and the user. */
const rules: Record<'waiting' | 'rejected' | 'approved', [what: Action[], who: Who[], outcome: Outcome][]> = {
  waiting: [
    [['schedule', 'stop and schedule'], all, anew],
    [['text', 'media', 'profiles', 'comment'], all, anew],
    [['tags', 'the same again'], all, [200, 'draft', 'Pending', 'Second']],
    [['time'], publishers, [200, 'draft', 'Pending', 'Second']],
    [['time'], ['sender'], anew],
    [['move'], deciders, [200, 'draft', 'Pending', 'Second']],
    [['move', 'approve', 'reject'], others, [403, 'draft', 'Pending', 'Second']],
    [['approve'], deciders, [200, 'pending', 'Approved', 'nowhere']],
    [['reject'], deciders, [200, 'draft', 'Rejected', 'nowhere']],
    [['take out'], ['admin', 'approver', 'sender'], [200, 'draft', 'Approved', 'nowhere']],
    [['take out'], ['stranger'], [403, 'draft', 'Pending', 'Second']],
  ],
  rejected: [
    [['schedule', 'stop and schedule'], all, anew],
    [['text', 'profiles', 'comment', 'time', 'tags', 'move'], all, [200, 'draft', 'Rejected', 'nowhere']],
    [['take out'], all, [409, 'draft', 'Rejected', 'nowhere']],
    [['approve'], deciders, [409, 'draft', 'Rejected', 'nowhere']],
  ],
  approved: [
    [['schedule', 'tags', 'the same again'], all, [200, 'pending', 'Approved', 'nowhere']],
    [['time', 'move'], publishers, [200, 'pending', 'Approved', 'nowhere']],
    [['time', 'move'], ['sender'], anew],
    [['text', 'media', 'profiles', 'comment'], all, anew],
    [['stop and schedule'], ['admin', 'approver', 'stranger'], [200, 'pending', 'Approved', 'nowhere']],
    [['stop and schedule'], ['sender'], anew],
    [['take out'], all, [409, 'pending', 'Approved', 'nowhere']],
  ],
}

async function postThat(state: keyof typeof rules) {
  const { workflow, post } = await given.waiting(
    { name: 'First', approverIds: [pablo] },
    { name: 'Second', approverIds: [pablo] },
  )
  await actions.approve(people.approver, post)
  if (state === 'rejected') await actions.reject(people.approver, post)
  if (state === 'approved') await actions.approve(people.approver, post)
  return { workflow, post }
}

const initialStates: Record<keyof typeof rules, [status: string, approveStatus: string, waits: Where]> = {
  waiting: ['draft', 'Pending', 'Second'],
  rejected: ['draft', 'Rejected', 'nowhere'],
  approved: ['pending', 'Approved', 'nowhere'],
}
const cachedPosts = new Map<string, ReturnType<typeof postThat>>()

/** An action that leaves the post unchanged lets the same user's next action reuse it. */
function postFor(state: keyof typeof rules, role: Who, [, ...after]: Outcome) {
  if (String(after) !== String(initialStates[state])) return postThat(state)
  const post = cachedPosts.get(`${state} ${role}`) ?? postThat(state)
  cachedPosts.set(`${state} ${role}`, post)
  return post
}

/** If several actions have the same outcome for several users, each user runs every other action. */
const assigned = (whos: Who[], actions: number, position: number) =>
  whos.filter((_, index) => whos.length <= 2 || actions === 1 || index % deep(2, 1) === position % deep(2, 1))

describe.each(Object.entries(rules))('a post that is %s', (state, table) => {
  const cases = table.flatMap(([whats, whos, outcome]) =>
    whats.flatMap((what, position) =>
      assigned(whos, whats.length, position).map((role) => ({ what, who: role, outcome })),
    ),
  )
  test.each(cases)('$what by $who: $outcome', async ({ what, who, outcome }) => {
    const { workflow, post } = await postFor(state as keyof typeof rules, who, outcome)
    const response = await actions[what](people[who], post)
    const stepId = (await given.item(post.Id, workflow.Id))?.StepId
    const waits = workflow.Steps.find(({ Id }) => Id === stepId)?.Name
    expect([response.status, ...(await given.standing(post.Id)), waits ?? 'nowhere'], response.text).toEqual(outcome)
    const [send] = await given.sends(post.Id)
    expect(send?.state).toBe(outcome[1] === 'draft' ? 'idle' : 'waiting')
    if (response.json.Post) expect(response.json.Post.ApproveStatus, 'the answer says so').toBe(outcome[2])
  })
})
