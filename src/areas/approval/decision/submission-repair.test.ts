import { afterAll, beforeAll, expect, test } from 'vitest'
import { storyHelpers } from '#areas/advocacy/story/story.fixture.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { quickJobs, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { approvals, chidi } from '../approval.fixture.ts'

const hour = 3_600_000
let clockOffset = 0
const clock = { now: () => new Date(Date.now() + clockOffset) }

let service: TestService
let given: ReturnType<typeof approvals>
beforeAll(async () => {
  service = await startTestService({ clock, pollingIntervals: quickJobs })
  given = approvals(service, () => clock.now().getTime())
})
afterAll(() => service.stop())

const query = (text: string, ids: readonly string[]) => ownerQuery(service.databaseUrl, text, [ids])

test('content left pending without an item by earlier versions gets one', async () => {
  const { board, make } = storyHelpers(service)
  const draft = () => given.post({ status: 'draft' })
  const [lost, withdrawn, rejected] = [await draft(), await draft(), await draft()]
  const message = await given.message()
  const { ID: story } = await make({ boardId: (await board()).id, isDraft: 1 }, service.contributor)
  const workflowId = (await given.workflow({ name: 'Check' })).Id
  for (const { Id: entityId } of [withdrawn, rejected]) {
    await service.contributor('POST /workflow-item', { body: { entityId, workflowId } })
    if (entityId === rejected.Id) {
      await service.admin(`POST /workflow-item/${entityId}`, { body: { isApprove: 0 } })
      await service.contributor('POST /workflow-item', { body: { entityId, workflowId } })
    }
    await service.contributor(`DELETE /workflow-item/${entityId}`)
  }
  // The state before default workflows existed.
  const posts = [lost, withdrawn, rejected].map(({ Id }) => Id)
  await query(`update posts set approve_status = 'Pending' where id = any ($1)`, posts)
  await query(`update messages set approve_status = 'Pending' where id = any ($1)`, [message])
  await query(`update stories set status = 'pending', phase = 'pending' where id = any ($1)`, [story])

  clockOffset += 2 * hour
  await expect.poll(() => given.item(lost.Id)).toMatchObject({ Status: 'pending', CreatedBy: chidi })
  for (const id of [message, story]) await expect.poll(() => given.item(id)).toMatchObject({ Status: 'pending' })
  // Withdrawn by a user: drafts, rejected if they were rejected before.
  await expect.poll(() => given.standing(withdrawn.Id)).toEqual(['draft', 'Approved'])
  await expect.poll(() => given.standing(rejected.Id)).toEqual(['draft', 'Rejected'])
  for (const id of [lost.Id, message, story])
    expect((await service.publisher(`POST /workflow-item/${id}`)).json.Data.Status).toBe('approved')
})
