import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const errorTo = async (body: object) => {
  const { status, json } = await service.admin('POST /tag', { body })
  return [status, json.Errors?.API.Error]
}

const masses: [string, object][] = [
  ['names', Object.fromEntries(Array.from({ length: 10_100 }, (_, index) => [`name${index}`, 1]))],
  ['list elements', { tag: Array<number>(10_100).fill(1) }],
  ['empty objects in a list', { tag: Array.from({ length: 10_100 }, () => ({})) }],
]

test.each(masses)('a body with more than 10,000 %s is refused', async (_, body) => {
  expect(await errorTo(body)).toEqual([400, 'The body has more than 10,000 values.'])
})

test('a deeply nested body is refused for its depth, whatever its length', async () => {
  const nested = (depth: number, filling: string) => JSON.parse(`${'['.repeat(depth)}"${filling}"${']'.repeat(depth)}`)
  for (const filling of ['', 'x'.repeat(20_000)])
    expect(await errorTo({ tag: nested(2_000, filling) })).toEqual([400, 'The request is nested too deeply.'])
})

test('content of strings counts neither as values nor as depth', async () => {
  const tag = `text ${Date.now()}`
  const note = `\\"{[,`.repeat(20_000)
  expect((await service.admin('POST /tag', { body: { tag, note } })).status).toBe(200)
  expect(
    (await service.admin('POST /tag', { body: { tag: `${tag} again`, note: Array(9_000).fill('\\') } })).status,
  ).toBe(200)
})
