import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const startDateTime = Math.floor(Date.now() / 1000) + 24 * 60 * 60

async function post(campaignId: string, credentialIds: string, rest: object = {}): Promise<string> {
  const body = { network: 'Twitter', campaignId, message: `Hello ${Math.random()}` }
  const messageId = (await service.publisher('POST /message', { body })).json.Message.Id
  const planned = { messageId, credentialIds, startDateTime, ...rest }
  return (await service.publisher('POST /post', { body: planned })).json.Post.Id
}

test('pausing, archiving and resuming a campaign are told in numbers before', async () => {
  const campaignId = (await service.publisher('POST /campaign', { body: { name: 'Numbers' } })).json.Campaign.Id
  const change = (status: string) => service.publisher(`POST /campaign/${campaignId}`, { body: { status } })
  const told = async () => (await service.reader(`GET /app/api/campaign/${campaignId}/consequences`)).json
  for (let one = 0; one < 3; one++) await post(campaignId, profiles.x)
  await post(campaignId, profiles.x, { status: 'draft' })
  const ended = { PostsDeleted: 3, DraftsDeleted: 1, PostsGivenUp: 0, SharesStopped: 0 }
  expect(await told()).toEqual({
    Result: true,
    Status: 'active',
    PostsUnderWay: 0,
    Archived: ended,
    Deleted: ended,
    Next: new Date(startDateTime * 1000).toISOString().slice(0, 19).replace('T', ' '),
    Paused: { PostsHeld: 3, SharesStopped: 0 },
    Active: { PostsResumed: 0, PostsLate: 0 },
  })
  // One of the posts has been sent to one of its two profiles.
  const begun = await post(campaignId, profiles.x)
  await ownerQuery(
    service.databaseUrl,
    `insert into sends (account_id, content_id, credential_id, kind, group_id, network, state, planned)
    values ($1, $2, '003-1-other', 'post', $3, 'Twitter', 'sent', now())`,
    [demoAccount, begun, campaignId],
  )
  expect(await told()).toMatchObject({ Archived: { ...ended, PostsGivenUp: 1 }, Paused: { PostsHeld: 4 } })
  await change('paused')
  expect(await told()).toMatchObject({ Status: 'paused', Active: { PostsResumed: 4, PostsLate: 0 } })
  const elsewhere = await service.otherAdmin(`GET /app/api/campaign/${campaignId}/consequences`)
  expect(elsewhere.status).toBe(404)
})
