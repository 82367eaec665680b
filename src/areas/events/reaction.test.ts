import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { reactions } from '#main/registry.ts'
import { bundled } from '../../../tests/support/bundle.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoAccount, quickJobs, startTestService, type TestService } from '../../../tests/support/service.ts'
import { openBarrier, planted } from './reaction.fixture.ts'

/** Advanced to skip the wait for a retry. */
let clockOffset = 0
const clock = { now: () => new Date(Date.now() + clockOffset) }
const barrier = openBarrier()
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    clock,
    pollingIntervals: quickJobs,
    environment: { CHORUS_ROLES: 'api,worker' },
    reactions: [...reactions, ...planted(barrier.opened)],
  })
})
afterAll(() => {
  barrier.open()
  return service.stop()
})

const create = (name: string, as: Caller = service.admin) => as('POST /campaign', { body: { name } })
/** Rows left by reactions to campaigns with this name. */
const left = async (name: string, as: Caller = service.admin): Promise<string[]> =>
  (await as('GET /team', { query: '_count=100' })).json.Items.map(({ Name }: { Name: string }) => Name)
    .filter((team: string) => team.endsWith(` ${name}`))
    .sort()
const campaigns = async (name: string): Promise<number> =>
  (await service.admin('GET /campaign', { query: '_count=100' })).json.Items.filter(
    (campaign: { Name: string }) => campaign.Name === name,
  ).length
const events = (name: string) =>
  ownerQuery(service.databaseUrl, `select from events where type = 'newCampaign' and data::text like $1`, [
    `%"${name}"%`,
  ])
const jobs = (name: string) =>
  ownerQuery<{ state: string; last_error: string }>(
    service.databaseUrl,
    `select state, last_error from jobs where name = 'tests.greet-campaign' and payload::text like $1`,
    [`%"${name}"%`],
  )

test('reactions inside take effect with the response, reactions after once, later', async () => {
  expect((await create('welcome')).status).toBe(200)
  expect(await left('welcome')).toContain('inside welcome')
  await expect.poll(() => left('welcome')).toEqual(['after welcome', 'inside welcome'])
  expect(await jobs('welcome')).toEqual([])
})

test('a reaction that throws rolls back the change and all other reactions', async () => {
  const { status, json } = await create('refused')
  expect([status, json.Errors.API.Error]).toEqual([409, 'Campaigns are not called that.'])
  expect([await campaigns('refused'), await left('refused'), await events('refused'), await jobs('refused')]).toEqual([
    0,
    [],
    [],
    [],
  ])
})

test('an event whose reaction always fails becomes a dead job with the error and does not delay others', async () => {
  await create('poisonous')
  await create('healthy')
  await expect.poll(() => left('healthy')).toEqual(['after healthy', 'inside healthy'])
  await expect
    .poll(async () => {
      clockOffset += 60 * 60 * 1000
      return jobs('poisonous')
    })
    .toEqual([{ state: 'dead', last_error: 'poisonous cannot be greeted.' }])
  // Writes of a failed attempt were rolled back.
  expect(await left('poisonous')).toEqual(['inside poisonous'])
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  expect(metrics).toMatch(/jobs_unfinished\{queue="reactions",state="dead"\} 1\b/)
})

test('an account whose reactions hang does not delay others', async () => {
  for (const number of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) await create(`held ${number}`)
  await create('elsewhere', service.otherAdmin)
  await expect.poll(() => left('elsewhere', service.otherAdmin)).toEqual(['after elsewhere', 'inside elsewhere'])
  expect(await jobs('held 10')).toHaveLength(1)
  barrier.open()
  await expect.poll(() => jobs('held 10')).toEqual([])
})

test('reactions of a process killed right after its commit still run', async () => {
  const { path, remove } = await bundled('src/areas/events/killed-process.fixture.ts')
  const child = spawn(process.execPath, [path, service.databaseUrl, demoAccount, 'bereaved'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await expect.poll(() => left('bereaved')).toEqual(['after bereaved', 'inside bereaved'])
  await remove()
})
