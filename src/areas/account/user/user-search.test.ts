import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { givePassword, pablo, signIn } from '../session/session.fixture.ts'

let service: TestService
const clock = { time: Date.now(), now: () => new Date(clock.time) }
beforeAll(async () => {
  service = await startTestService({ clock, environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const hour = 60 * 60 * 1000
const wire = (time: number) => new Date(time).toISOString().slice(0, 19).replace('T', ' ')
const person = async (id: string) =>
  (await service.reader('GET /app/api/user', { query: '_count=100' })).json.Items.find(
    (one: { Id: string }) => one.Id === id,
  )

test('users are listed with their teams and their last activity by session or API key', async () => {
  await givePassword(service)
  const { ask } = await signIn(service.url, pablo)
  expect(await person(pablo.id)).toMatchObject({
    Name: 'Pablo Reyes',
    Role: 'publisher',
    Status: 'active',
    TeamIds: ['025demo00000001'],
    MediaLibrary: 1,
    LastSeen: wire(clock.time),
    Invited: '0000-00-00 00:00:00',
  })
  clock.time += hour
  await ask('GET /app/api/session')
  await expect.poll(async () => (await person(pablo.id)).LastSeen).toBe(wire(clock.time))
  clock.time += hour
  await service.publisher('GET /me')
  await expect.poll(async () => (await person(pablo.id)).LastSeen).toBe(wire(clock.time))
  const names = (await service.reader('GET /app/api/user', { query: 'q=a' })).json.Items.map(
    (one: { Name: string }) => one.Name,
  )
  expect(names).toEqual([...names].sort((one: string, other: string) => one.localeCompare(other)))
})
