import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { advocacyIds } from '#areas/advocacy/declarations.ts'
import { newId } from '#kernel/ids.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import type { Approvable } from '../approvable.ts'
import { approvals, chidi } from '../approval.fixture.ts'
import { endpointsFor } from './workflow-item.api.ts'

const board = 'brdabsent000000'
/** The calls that the owner of the content received. */
let calls: unknown[] = []

/** A kind of content unknown to approval, without any post or message. */
const share: Approvable = {
  idKind: advocacyIds.advocateShare,
  noun: 'share',
  async describe(_context, ids) {
    const about = { scopeId: board, network: 'LinkedIn', text: 'Read this', planned: 'at once' }
    return new Map(ids.map((id) => [id, { ...about, storyId: id }]))
  },
  wording: async () => [{ name: 'Text', text: 'Read this' }],
  async hold(_context, id) {
    const record = (what: string) => async (more?: object) => void calls.push([id, what, more])
    const [submitted, approved] = [record('submitted'), record('approved')]
    return { submitted, approved, rejected: record('rejected'), withdrawn: record('withdrawn') }
  },
  findOrphans: async () => [],
}

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  const endpoints = endpointsFor([share])
  service = await startTestService({ endpoints, environment: { CHORUS_ROLES: 'api' } })
  given = approvals(service)
})
afterAll(() => service.stop())

let entityId: string
let workflowId: string
beforeEach(async () => {
  workflowId = (await given.workflow({ name: 'One' })).Id
  entityId = newId(advocacyIds.advocateShare, new Date())
  calls = []
  await given.mails()
})

const submit = () => service.contributor('POST /workflow-item', { body: { entityId, workflowId } })
const withdraw = () => service.contributor(`DELETE /workflow-item/${entityId}`)
const decide = (body: object) => service.admin(`POST /workflow-item/${entityId}`, { body })

test('content of another area is submitted, commented and approved', async () => {
  const { status, json, text } = await submit()
  expect(status, text).toBe(200)
  const about = { EntityId: entityId, StoryId: entityId, BoardId: board, PostId: '', MessageId: '', CreatedBy: chidi }
  expect(json.Data).toMatchObject({ ...about, Status: 'pending' })
  const [request] = await given.mails()
  expect(request?.subject).toBe('Chidi Okafor asks you to approve a LinkedIn share')
  for (const part of ['Planned: at once', 'Read this']) expect(request?.text).toContain(part)
  const note = { id: json.Data.Id, note: 'Soon?' }
  expect((await service.publisher('PUT /workflow-item-note', { body: note })).json).toEqual({ Result: true })
  const { Notes } = (await service.reader('GET /workflow-item-note', { query: `id=${entityId}` })).json
  expect(Notes).toMatchObject([{ EntityId: entityId, Text: 'Soon?' }])
  expect((await decide({ isApprove: 1 })).json.Data).toMatchObject({ ...about, Status: 'approved' })
  expect((await given.mails()).map(({ subject }) => subject)).toEqual(['Ada Marsh approved a LinkedIn share'])
  expect((await given.events(entityId)).map(([type, data]) => [type, data.StoryID, data.BoardID])).toEqual([
    ['newApprovalItem', entityId, board],
    ['approvalItemApproved', entityId, board],
  ])
  expect(calls).toEqual([
    [entityId, 'submitted', undefined],
    [entityId, 'approved', undefined],
  ])
})

test('the owning area learns of rejection and withdrawal, and of an earlier rejection', async () => {
  await submit()
  await withdraw()
  expect(calls.at(-1)).toEqual([entityId, 'withdrawn', { wasRejected: false }])
  await submit()
  await decide({ isApprove: 0 })
  expect(calls.at(-1)).toEqual([entityId, 'rejected', undefined])
  await submit()
  await withdraw()
  expect(calls.at(-1)).toEqual([entityId, 'withdrawn', { wasRejected: true }])
  expect(calls.length).toBe(6)
})

test('other content is rejected with the names of the kinds', async () => {
  const body = { entityId: '004demo00000001', workflowId }
  const { status, json } = await service.admin('POST /workflow-item', { body })
  expect([status, json.Errors.API.Error]).toEqual([400, 'entityId names no share: "004demo00000001".'])
})
