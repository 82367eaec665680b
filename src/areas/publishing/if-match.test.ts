import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../tests/support/service.ts'
import { later, posting } from './post/post.fixture.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const read = async (path: string) => {
  const { headers, json } = await service.admin(`GET /app/api/v2${path}`)
  return { tag: headers.get('etag') ?? '', json }
}
const write = (path: string, body: object, tag?: string, base = '/app/api/v2') =>
  service.publisher(`POST ${base}${path}`, { body, headers: tag === undefined ? {} : { 'if-match': tag } })

/** One of each kind that supports If-Match, with two changes of it. */
async function entities(): Promise<[path: string, one: object, other: object][]> {
  const { campaign, message, post } = posting(service)
  return [
    [`/campaign/${await campaign()}`, { name: 'Mine' }, { name: 'Theirs' }],
    [`/message/${await message()}`, { message: 'Mine' }, { message: 'Theirs' }],
    [`/post/${(await post()).Id}`, { startDateTime: later + 60 }, { startDateTime: later + 120 }],
  ]
}

test('a change with an outdated entity tag is refused', async () => {
  for (const [path, one, other] of await entities()) {
    const { tag } = await read(path)
    expect(tag, path).toMatch(/^"\d+"$/)
    expect((await write(path, one, tag)).status, path).toBe(200)
    const now = await read(path)
    expect(now.tag, path).not.toBe(tag)
    const late = await write(path, other, tag)
    expect([late.status, late.json.Errors.API.Error], path).toEqual([
      412,
      'Somebody changed this after you read it. Read it again to see what is different.',
    ])
    expect(await read(path), path).toEqual(now)
    expect((await write(path, other, `"1", ${now.tag}`)).status, 'one of several').toBe(200)
  }
})

test('of concurrent changes with the same entity tag one succeeds', async () => {
  for (const [path, one] of await entities()) {
    const { tag } = await read(path)
    const answers = await Promise.all(Array.from({ length: 8 }, () => write(path, one, tag)))
    expect(answers.map(({ status }) => status).sort(), path).toEqual([200, ...Array(7).fill(412)])
  }
})

test('changes without If-Match, with *, or through the public API always apply', async () => {
  for (const [path, one, other] of await entities()) {
    const { tag } = await read(path)
    await write(path, one, tag)
    expect((await write(path, other)).status, path).toBe(200)
    expect((await write(path, one, '*')).status, path).toBe(200)
    const contract = await write(path, other, tag, '')
    expect([contract.status, contract.headers.get('etag')], path).toEqual([200, null])
  }
})

test('an unknown entity tag matches nothing, and endpoints without tags refuse If-Match', async () => {
  for (const [path, one] of await entities())
    for (const tag of ['W/"1"', '"', 'x', '', `"${'9'.repeat(5000)}"`])
      expect((await write(path, one, tag)).status, tag.slice(0, 20)).toBe(412)
  const { status, json } = await write('/campaign', { name: 'New' }, '"1"')
  expect([status, json.Errors.API.Error]).toEqual([400, 'This operation takes no If-Match.'])
})
