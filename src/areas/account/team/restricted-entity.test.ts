import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLog } from '#kernel/log.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
const lines: { [name: string]: unknown }[] = []
beforeAll(async () => {
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  service = await startTestService({ log: openLog('info', destination), environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const europe = '025demo00000001'
const newTeam = async (): Promise<string> =>
  (await service.admin('POST /team', { body: { name: 'Doomed' } })).json.Team.Id
const newCampaign = async (...teamIds: string[]): Promise<string> => {
  const { Id } = (await service.admin('POST /campaign', { body: { name: 'Guarded' } })).json.Campaign
  if (teamIds.length > 0) await service.admin(`POST /team-entity/${Id}`, { body: { teamIds } })
  return Id
}
const newWorkflow = async (...teamIds: string[]): Promise<string> => {
  const body = { name: 'Guarded', steps: [{ name: 'Check' }] }
  const { Id } = (await service.admin('POST /app/api/workflow', { body })).json.Workflow
  await service.admin(`POST /team-entity/${Id}`, { body: { teamIds } })
  return Id
}
const seenBy = async (campaign: string) =>
  Promise.all(
    [service.admin, service.publisher, service.contributor].map(
      async (as) => (await as(`GET /campaign/${campaign}`)).status === 200,
    ),
  )
const restricted = async (as: TestService['admin']): Promise<string[]> =>
  (await as('GET /app/api/restricted-entity')).json.Items.map(({ EntityId }: { EntityId: string }) => EntityId)

test('entities whose only team is deleted are restricted to admins, and the log has their number', async () => {
  const [doomed, other] = [await newTeam(), await newTeam()]
  const [lonely, shared, open] = [await newCampaign(doomed), await newCampaign(doomed, europe), await newCampaign()]
  const workflow = await newWorkflow(doomed)
  await service.admin(`POST /team-entity/00Ademo00000003`, { body: { teamIds: doomed } })
  expect(await seenBy(lonely)).toEqual([true, false, true])
  expect((await service.admin(`DELETE /team/${doomed}`)).status).toBe(200)
  expect(await seenBy(lonely)).toEqual([true, false, false])
  expect(await seenBy(shared)).toEqual([true, true, false])
  expect(await seenBy(open)).toEqual([true, true, true])
  expect((await service.publisher(`GET /workflow/${workflow}`)).status).toBe(404)
  expect((await service.publisher('GET /campaign', { query: 'q=Guarded' })).json.Total).toBe(2)
  await expect
    .poll(() => lines.find(({ route, method }) => method === 'DELETE' && route === '/v2/team/:id'))
    .toMatchObject({ team: doomed, restricted: 2, status: 200 })
  expect((await restricted(service.admin)).sort()).toEqual([lonely, workflow].sort())
  expect(await restricted(service.reader)).toEqual([])
  expect((await service.admin(`DELETE /team/${other}`)).status).toBe(200)
  expect(await restricted(service.admin), 'a team without anything leaves nothing').toHaveLength(2)
})

test('assigning teams or removing the last one lifts the restriction', async () => {
  const doomed = await newTeam()
  const campaign = await newCampaign(doomed)
  await service.admin(`DELETE /team/${doomed}`)
  await service.admin(`POST /team-entity/${campaign}`, { body: { teamIds: europe } })
  expect(await seenBy(campaign)).toEqual([true, true, false])
  expect(await restricted(service.admin)).not.toContain(campaign)
  await service.admin(`DELETE /team-entity/${campaign}`, { body: { teamIds: europe } })
  expect(await seenBy(campaign)).toEqual([true, true, true])
})

test('an admin makes a restricted entity visible to everyone', async () => {
  const doomed = await newTeam()
  const campaign = await newCampaign(doomed)
  await service.admin(`DELETE /team/${doomed}`)
  expect((await service.publisher(`DELETE /app/api/restricted-entity/${campaign}`)).status).toBe(403)
  expect((await service.otherAdmin(`DELETE /app/api/restricted-entity/${campaign}`)).status).toBe(404)
  expect((await service.admin(`DELETE /app/api/restricted-entity/${campaign}`)).json).toEqual({ Result: true })
  expect((await service.admin(`DELETE /app/api/restricted-entity/${campaign}`)).status).toBe(404)
  expect(await seenBy(campaign)).toEqual([true, true, true])
})

test('removing the last two teams concurrently does not make an entity visible to everyone', async () => {
  for (let round = 0; round < 10; round++) {
    const teams = [await newTeam(), await newTeam()]
    const campaign = await newCampaign(...teams)
    await Promise.all(teams.map((team) => service.admin(`DELETE /team/${team}`)))
    expect(await seenBy(campaign)).toEqual([true, false, false])
  }
})
