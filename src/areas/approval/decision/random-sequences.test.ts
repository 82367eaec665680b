import { afterAll, beforeAll, expect, test } from 'vitest'
import { storyHelpers } from '#areas/advocacy/story/story.fixture.ts'
import type { Role } from '#kernel/permissions.ts'
import type { Caller, CallResult } from '../../../../tests/support/caller.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import { deep, randomness } from '../../../../tests/support/randomness.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { ada, approvals, chidi, pablo } from '../approval.fixture.ts'

/**
 * Random sequences of changes to content, workflows and users over the HTTP API. After every call no content is pending approval without an
 * item that a user can decide on, and no post is scheduled that a contributor changed and no user with permission to publish has approved.
 */

const sequences = deep(10, 1000)
const callsEach = 16
const concurrentSequences = deep(2, 150)
const timeout = deep(600_000, 3_600_000)
const hour = 3600
const otherProfile = '003-1-2414184'

let service: TestService
/** The default workflow at the beginning of every sequence. */
let firstDefault = ''
let given: ReturnType<typeof approvals>
let boardId: string
let people: Person[]
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
  boardId = (await storyHelpers(service).board()).id
  const [petra, clara] = [await given.user('publisher', 'petra'), await given.user('contributor', 'clara')]
  people = [
    { id: ada, as: service.admin, role: 'admin' },
    { id: pablo, as: service.publisher, role: 'publisher' },
    { id: chidi, as: service.contributor, role: 'contributor' },
    { id: '00Ademo00000004', as: service.reader, role: 'read' },
    { ...petra, role: 'publisher' },
    { ...clara, role: 'contributor' },
  ]
  const { Items } = (await service.admin('GET /app/api/workflow')).json
  firstDefault = Items.find(({ IsDefault }: { IsDefault: number }) => IsDefault === 1).Id
})
afterAll(() => service.stop())

interface Person {
  id: string
  as: Caller
  role: Role
}

interface Content {
  id: string
  messageId: string
  /** Changed by a user who may not publish, and neither approved nor published since by a user who may. */
  unapproved: Set<'itself' | 'its message'>
}

interface Workflow {
  id: string
  steps: { id: string; approverIds: string[] }[]
}

/** The data of one sequence and its model. */
interface World {
  random: () => number
  /** Other calls change the same content concurrently, so the model of a single call does not apply. */
  isConcurrent: boolean
  log: string[]
  campaigns: string[]
  workflow: Workflow
  messages: string[]
  posts: Content[]
  stories: Content[]
}

const pick = <One>({ random }: World, from: readonly One[]): One => from[Math.floor(random() * from.length)] as One
const mayPublish = ({ role }: Person) => role === 'admin' || role === 'publisher'
const inHours = (hours: number) => Math.floor(Date.now() / 1000) + hours * hour

type Operation = (world: World, user: Person) => Promise<CallResult | undefined>

const isPlanned = (status = '') => status === 'pending' || status === 'inqueue'

/** The parts that approval covers: content, targets and time. */
async function snapshotOf({ id }: Content) {
  const [row] = await ownerQuery<{ status: string; created_by: string; content: string }>(
    service.databaseUrl,
    `select status, created_by, concat_ws(' ', message_id, campaign_id, start_date_time, credential_ids,
      (select text from first_comments f where f.account_id = p.account_id and f.post_id = p.id)) as content from posts p where id = $1
    union all select status, created_by, concat_ws(' ', description, publish_date, campaign_id) from stories where id = $1`,
    [id],
  )
  return row
}

/**
 * Changes a post or a story. A change by a user who may not publish needs approval; a user who may publish takes responsibility by
 * scheduling it. Content that others have scheduled cannot be changed by users who may not publish.
 */
async function changing({ log, isConcurrent }: World, user: Person, content: Content, call: () => Promise<CallResult>) {
  if (isConcurrent) return call()
  const before = await snapshotOf(content)
  const response = await call()
  const after = await snapshotOf(content)
  if (mayPublish(user)) return response
  const isChanged = after?.content !== before?.content || after?.status !== before?.status
  if (isPlanned(before?.status) && before?.created_by !== user.id)
    expect([user.role, isChanged], [...log, response.text].join('\n')).toEqual([user.role, false])
  if (after?.content !== before?.content) content.unapproved.add('itself')
  return response
}

const operations: Record<string, Operation> = {
  async 'create a message'(world, user) {
    const body = { network: 'LinkedIn', campaignId: pick(world, world.campaigns), message: 'To be approved' }
    const response = await user.as('POST /message', { body })
    if (response.status === 200) world.messages.push(response.json.Message.Id)
    return response
  },
  async 'create a post'(world, user) {
    const messageId = pick(world, world.messages)
    const status = pick(world, ['pending', 'pending', 'draft'])
    const workflowId = pick(world, ['', '', world.workflow.id])
    const body = { messageId, credentialIds: profiles.linkedInPage, startDateTime: inHours(24), status, workflowId }
    const response = await user.as('POST /post', { body })
    if (response.status === 200) world.posts.push(made(user, response.json.Post.Id, messageId))
    return response
  },
  async compose(world, user) {
    const part = { network: 'LinkedIn', message: 'Composed', credentialIds: [profiles.linkedInPage] }
    const body = { campaignId: pick(world, world.campaigns), startDateTime: inHours(24), parts: [part] }
    const response = await user.as('POST /app/api/compose', { body })
    if (response.status === 200) {
      const [{ Message, Post }] = response.json.Items
      world.messages.push(Message.Id)
      world.posts.push(made(user, Post.Id, Message.Id))
    }
    return response
  },
  async 'edit a post'(world, user) {
    const post = pick(world, world.posts)
    const body: { messageId?: string; status?: string } = pick(world, [
      { credentialIds: pick(world, [profiles.linkedInPage, otherProfile]) },
      { firstComment: { text: `Comment ${world.random()}` } },
      { startDateTime: inHours(30 + Math.floor(world.random() * 9)) },
      { startDateTime: inHours(0) },
      { startDateTime: inHours(0), status: 'pending' },
      { status: 'draft' },
      { status: 'pending' },
      { messageId: pick(world, world.messages) },
    ])
    const response = await changing(world, user, post, () => user.as(`POST /post/${post.id}`, { body }))
    if (response.status !== 200) return response
    if (body.messageId) post.messageId = body.messageId
    if (body.status && mayPublish(user) && isPlanned(response.json.Post.Status)) post.unapproved.clear()
    return response
  },
  'move posts in bulk': (world, user) => {
    const post = pick(world, world.posts)
    const body = { action: 'move', items: [{ id: post.id, startDateTime: inHours(world.random() < 0.5 ? 0 : 40) }] }
    return changing(world, user, post, () => user.as('POST /app/api/posts', { body }))
  },
  'move to another campaign': (world, user) => {
    const post = pick(world, world.posts)
    const body = { campaignId: pick(world, world.campaigns) }
    return changing(world, user, post, () => user.as(`POST /post/${post.id}/change-campaign`, { body }))
  },
  async 'edit a message'(world, user) {
    const messageId = pick(world, world.messages)
    const response = await user.as(`POST /message/${messageId}`, { body: { message: `Words ${world.random()}` } })
    if (response.status === 200 && !mayPublish(user))
      for (const post of world.posts) if (post.messageId === messageId) post.unapproved.add('its message')
    return response
  },
  'delete a post': (world, user) => {
    const post = pick(world, world.posts)
    return changing(world, user, post, () => user.as(`DELETE /post/${post.id}`))
  },
  'send to approval': (world, user) => {
    const entityId = pick(world, [...world.posts, ...world.stories].map(({ id }) => id).concat(world.messages))
    return user.as('POST /workflow-item', { body: { entityId, workflowId: world.workflow.id } })
  },
  async decide(world, user) {
    const entityId = pick(world, [...world.posts, ...world.stories].map(({ id }) => id).concat(world.messages))
    const isApprove = world.random() < 0.7 ? 1 : 0
    const response = await user.as(`POST /workflow-item/${entityId}`, { body: { isApprove } })
    if (response.status !== 200) return response
    if (!world.isConcurrent) expect(mayPublish(user), world.log.join('\n')).toBe(true)
    if (response.json.Data.Status !== 'approved') return response
    for (const content of [...world.posts, ...world.stories]) {
      if (content.id === entityId) content.unapproved.clear()
      if (content.messageId === entityId) content.unapproved.delete('its message')
    }
    return response
  },
  'take out of approval': (world, user) => {
    const entityId = pick(world, [...world.posts, ...world.stories].map(({ id }) => id).concat(world.messages))
    return user.as(`DELETE /workflow-item/${entityId}`)
  },
  async 'create a story'(world, user) {
    const isDraft = world.random() < 0.3 ? 1 : 0
    const about = { title: 'A title', description: 'What it is about.', campaignId: pick(world, world.campaigns) }
    const response = await user.as('POST /story', { body: { ...about, boardId, isDraft } })
    if (response.status === 200) world.stories.push(made(user, response.json.Item.ID, ''))
    return response
  },
  async 'edit a story'(world, user) {
    if (world.stories.length === 0) return undefined
    const story = pick(world, world.stories)
    const body = pick(world, [
      { description: `Words ${world.random()}` },
      { publishDatetime: inHours(1 + Math.floor(world.random() * 9)) },
      { isDraft: 0 },
    ])
    const response = await changing(world, user, story, () => user.as(`POST /story/${story.id}`, { body }))
    if ('isDraft' in body && mayPublish(user) && response.json.Item?.Status === 'approved') story.unapproved.clear()
    return response
  },
  'delete the workflow': ({ workflow }, user) => user.as(`DELETE /app/api/workflow/${workflow.id}`),
  'use the workflow again': ({ workflow }, user) =>
    user.as(`PUT /app/api/workflow/${workflow.id}`, { body: { status: 'active' } }),
  'make the workflow the default': ({ workflow }, user) =>
    user.as(`PUT /app/api/workflow/${workflow.id}`, { body: { isDefault: 1 } }),
  'delete a step': (world, user) => {
    const { steps } = world.workflow
    const keptSteps =
      steps.length > 1 ? steps.filter((step) => step !== pick(world, steps)) : [{ id: '', approverIds: [pablo] }]
    return changeSteps(world, user, keptSteps)
  },
  'delete an approver': (world, user) =>
    changeSteps(
      world,
      user,
      world.workflow.steps.map(({ id, approverIds }) => ({ id, approverIds: approverIds.slice(1) })),
    ),
  async 'change a role'(world, user) {
    const other = pick(world, people.slice(4))
    const role = pick(world, ['admin', 'publisher', 'contributor', 'read'] as const)
    const response = await user.as(`POST /app/api/user/${other.id}/role`, { body: { role } })
    if (response.status === 200) other.role = role
    return response
  },
  async 'delete a user'(world, user) {
    const leaving = world.workflow.steps.flatMap(({ approverIds }) => approverIds).find((id) => !isLasting(id))
    return leaving ? user.as(`DELETE /user/${leaving}`) : undefined
  },
}

const isLasting = (id: string) => people.some((person) => person.id === id)

const made = (user: Person, id: string, messageId: string): Content => ({
  id,
  messageId,
  unapproved: new Set(mayPublish(user) ? [] : ['itself']),
})

async function changeSteps({ workflow }: World, user: Person, keptSteps: Workflow['steps']) {
  const steps = keptSteps.map(({ id, approverIds }, at) => ({ ...(id && { id }), name: `Step ${at}`, approverIds }))
  const response = await user.as(`PUT /app/api/workflow/${workflow.id}`, { body: { steps } })
  if (response.status === 200) workflow.steps = stepsOf(response)
  return response
}

interface WireStep {
  Id: string
  Approvers: { Id: string }[]
}
const stepsOf = ({ json }: CallResult): Workflow['steps'] =>
  json.Workflow.Steps.map(({ Id, Approvers }: WireStep) => ({ id: Id, approverIds: Approvers.map((one) => one.Id) }))

/** Everything in the account that violates an invariant. */
const broken = () =>
  ownerQuery<{ what: string; id: string }>(
    service.databaseUrl,
    `with waiting as (select * from workflow_items where status = 'pending')
    select 'a pending post without an item' as what, p.id from posts p where p.approve_status = 'Pending'
      and not exists (select from waiting i where i.account_id = p.account_id
        and (i.entity_id = p.id or (p.awaits_message and i.entity_id = p.message_id)))
    union all select 'a pending message without an item', m.id from messages m where m.approve_status = 'Pending' and m.deleted is null
      and not exists (select from waiting i where i.account_id = m.account_id and i.entity_id = m.id)
    union all select 'a pending story without an item', s.id from stories s where s.status = 'pending'
      and not exists (select from waiting i where i.account_id = s.account_id and i.entity_id = s.id)
    union all select 'an item of a post that is not pending', i.entity_id from waiting i
      join posts p on p.account_id = i.account_id and p.id = i.entity_id
      where p.approve_status <> 'Pending' or p.status not in ('draft', 'inqueue-draft')
    union all select 'an item of deleted content', i.entity_id from waiting i
      where not exists (select from posts p where p.account_id = i.account_id and p.id = i.entity_id)
        and not exists (select from messages m where m.account_id = i.account_id and m.id = i.entity_id and m.deleted is null)
        and not exists (select from stories s where s.account_id = i.account_id and s.id = i.entity_id)
    union all select 'an item at a step that is gone', i.entity_id from waiting i
      join workflow_steps s on s.account_id = i.account_id and s.id = i.step_id
      join workflows w on w.account_id = i.account_id and w.id = i.workflow_id
      where s.removed is not null or w.status <> 'active' or s.workflow_id <> i.workflow_id
    union all select 'an item at a step whose approvers are all gone', i.entity_id from waiting i
      join workflow_steps s on s.account_id = i.account_id and s.id = i.step_id
      join workflows w on w.account_id = i.account_id and w.id = i.workflow_id and not w.is_default
      where exists (select from workflow_approvers a where a.account_id = i.account_id and a.step_id = s.id)
        and not exists (select from workflow_approvers a join users u on u.account_id = a.account_id and u.id = a.user_id
          where a.account_id = i.account_id and a.step_id = s.id and u.status = 'active' and u.role in ('admin', 'publisher'))
    union all select 'an account without one default workflow', a.id from accounts a
      where (select count(*) from workflows w where w.account_id = a.id and w.is_default) <> 1`,
  )

async function begin(seed: number, isConcurrent = false): Promise<World> {
  const random = randomness(seed)
  const campaign = async () =>
    (await service.admin('POST /campaign', { body: { name: `Sequence ${seed}` } })).json.Campaign.Id as string
  // The last user is sometimes deleted or gets another role; if no other approver is named, the step has none left.
  const leaving = random() < 0.3 ? (await given.user('publisher', `leaving${seed}`)).id : (people[4]?.id ?? '')
  const steps = Array.from({ length: random() < 0.5 ? 1 : 2 }, (_, at) => ({
    name: `Step ${at}`,
    approverIds: random() < 0.6 ? [leaving] : [pablo, leaving],
  }))
  const created = await service.admin('POST /app/api/workflow', { body: { name: `Sequence ${seed}`, steps } })
  const workflow = { id: created.json.Workflow.Id, steps: stepsOf(created) }
  const world: World = {
    random,
    isConcurrent,
    log: [],
    campaigns: [await campaign(), await campaign()],
    workflow,
    messages: [],
    posts: [],
    stories: [],
  }
  // Starts with content by a user who may publish and by one who may not.
  const [, publisher, contributor] = people as [Person, Person, Person]
  for (const user of [publisher, contributor]) {
    await operations['create a message']?.(world, user)
    await operations.compose?.(world, user)
  }
  await contributor.as('POST /workflow-item', { body: { entityId: world.posts.at(-1)?.id, workflowId: workflow.id } })
  if (random() < 0.5) await approveAll(world)
  if (random() < 0.5) await approveMessage(world, random() < 0.5 ? publisher : contributor)
  if (random() < 0.5) await scheduleFor(world, contributor, world.messages.at(-1) as string)
  return world
}

/** The admin approves all pending items, step by step. */
async function approveAll({ posts }: World) {
  for (const post of posts)
    for (let status = 'pending'; status === 'pending'; ) {
      const response = await service.admin(`POST /workflow-item/${post.id}`)
      status = response.json.Data?.Status ?? ''
      if (status === 'approved') post.unapproved.clear()
    }
}

/** A user who may publish schedules a contributor's draft, without a workflow. */
async function scheduleFor({ posts }: World, author: Person, messageId: string) {
  const body = { messageId, credentialIds: otherProfile, startDateTime: inHours(24), status: 'draft' }
  const { Id } = (await author.as('POST /post', { body })).json.Post
  posts.push({ id: Id, messageId, unapproved: new Set() })
  await service.publisher(`POST /post/${Id}`, { body: { status: 'pending' } })
}

/** An approved message with a scheduled post. */
async function approveMessage(world: World, author: Person) {
  const entityId = world.messages[0] as string
  await author.as('POST /workflow-item', { body: { entityId, workflowId: world.workflow.id } })
  while ((await service.admin(`POST /workflow-item/${entityId}`)).json.Data?.Status === 'pending');
  await scheduleFor(world, author, entityId)
}

async function unapprovedButPlanned({ posts, stories }: World): Promise<string[]> {
  const ids = [...posts, ...stories].filter(({ unapproved }) => unapproved.size > 0).map(({ id }) => id)
  const rows = await ownerQuery<{ id: string }>(
    service.databaseUrl,
    `select id from posts where id = any ($1) and status in ('pending', 'inqueue')
    union all select id from stories where id = any ($1) and status = 'approved'`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

test(`${sequences} random sequences leave nothing pending without an item, and nothing unapproved scheduled`, {
  timeout,
}, async () => {
  let calls = 0
  let done = 0
  for (let seed = 1; seed <= sequences; seed++) {
    const world = await begin(seed)
    for (let call = 0; call < callsEach; call++) {
      const { name, who } = next(world)
      const response = await operations[name]?.(world, who)
      if (!response) continue
      calls++
      if (response.status === 200) done++
      world.log.push(`${name} by ${who.role} ${who.id}: ${response.status} ${response.text.slice(0, 160)}`)
      const story = [`seed ${seed}`, ...world.log].join('\n')
      expect([200, 400, 403, 404, 409], story).toContain(response.status)
      expect(await broken(), story).toEqual([])
      expect(await unapprovedButPlanned(world), story).toEqual([])
    }
    await end(world, seed)
  }
  // The sequences are meaningful only if enough calls succeed.
  expect(done / calls).toBeGreaterThan(0.3)
})

test(`${concurrentSequences} sequences of calls at the same moment leave nothing pending without an item either`, {
  timeout,
}, async () => {
  for (let seed = 10_001; seed <= 10_000 + concurrentSequences; seed++) {
    const world = await begin(seed, true)
    for (let batch = 0; batch < 5; batch++) {
      const chosen = Array.from({ length: 5 }, () => next(world))
      const answers = await Promise.all(chosen.map(({ name, who }) => operations[name]?.(world, who)))
      for (const [at, response] of answers.entries())
        world.log.push(
          `${batch} ${chosen[at]?.name} by ${chosen[at]?.who.role}: ${response?.status} ${response?.text.slice(0, 160)}`,
        )
      const story = [`seed ${seed}`, ...world.log].join('\n')
      for (const response of answers) if (response) expect([200, 400, 403, 404, 409], story).toContain(response.status)
      expect(await broken(), story).toEqual([])
    }
    await end(world, seed)
  }
})

/** Weighted towards changes of content, which most rules concern. */
const names = () => [
  ...Object.keys(operations),
  'edit a post',
  'edit a post',
  'edit a message',
  'edit a message',
  'decide',
]
const forAdmins = /workflow|step|approver|role|user/
/** A reader is refused everything, so one call in ten is enough; the same applies to other users for admin operations. */
function next(world: World) {
  const name = pick(world, names())
  const chance = world.random()
  const [admin, , , reader] = people as [Person, Person, Person, Person]
  if (forAdmins.test(name) && chance < 0.7) return { name, who: admin }
  return { name, who: chance < 0.1 ? reader : pick(world, people.toSpliced(3, 1)) }
}

/**
 * Every pending item is decided by an approver, which proves that it can be; then roles and the default workflow are restored for the next
 * sequence.
 */
async function end({ workflow, log, ...world }: World, seed: number) {
  const story = [`seed ${seed}`, ...log].join('\n')
  const ids = [...world.posts, ...world.stories].map(({ id }) => id).concat(world.messages)
  const { Items, Steps } = (await service.admin('GET /workflow-item', { query: 'count=1000&withSteps=1' })).json
  for (const item of Items.filter(({ EntityId }: { EntityId: string }) => ids.includes(EntityId))) {
    const stepApprovers = Steps[item.StepId].Approvers.map(({ Id }: { Id: string }) => Id)
    const decider = people.find((one) => stepApprovers.includes(one.id)) ?? (people[0] as Person)
    const response = await decider.as(`POST /workflow-item/${item.Id}`, { body: { isApprove: 0 } })
    expect(response.status, `${story}\n${response.text}`).toBe(200)
  }
  expect(await broken(), story).toEqual([])
  for (const [at, role] of [
    [4, 'publisher'],
    [5, 'contributor'],
  ] as const) {
    const person = people[at] as Person
    person.role = role
    await service.admin(`POST /app/api/user/${person.id}/role`, { body: { role } })
  }
  await service.admin(`PUT /app/api/workflow/${firstDefault}`, { body: { isDefault: 1 } })
  await service.admin(`DELETE /app/api/workflow/${workflow.id}`)
}
