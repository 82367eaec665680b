import { afterAll, beforeAll, expect, test } from 'vitest'
import { broken } from '#kernel/media-inspector/fixtures/broken.fixture.ts'
import { good } from '#kernel/media-inspector/fixtures/corpus.fixture.ts'
import { polyglots, unsupported } from '#kernel/media-inspector/fixtures/disguised.fixture.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { sampleFiles } from '../media.fixture.ts'

let service: TestService
let film: Buffer
let page: Buffer
beforeAll(async () => {
  const files = await sampleFiles()
  film = files['film.mp4']
  page = files['page.html']
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const begin = async (size: number, more: object = {}) =>
  (await service.publisher('POST /app/api/media', { body: { name: 'film.mp4', size, ...more } })).json.Upload.Id

interface Answer {
  [name: string]: unknown
  Errors?: { API: { Error: string } }
}

async function put(id: string, offset: number | string, bytes: Buffer, ending = '-publisher') {
  const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}${ending}`).toString('base64')}`
  const response = await fetch(`${service.url}/app/api/media/${id}?offset=${offset}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/octet-stream' },
    body: new Uint8Array(bytes),
  })
  return { status: response.status, json: (await response.json()) as Answer }
}

test('a file is uploaded in chunks, resumed, and becomes an asset', async () => {
  const id = await begin(film.length, { mimeType: 'video/mp4' })
  const half = Math.floor(film.length / 2)
  expect((await put(id, 0, film.subarray(0, half))).json).toEqual({ Result: true, Offset: half, MediaId: null })
  const again = await put(id, 0, film.subarray(0, half))
  expect([again.status, JSON.stringify(again.json)]).toEqual([
    409,
    expect.stringContaining(`continues at byte ${half}`),
  ])
  expect((await service.publisher(`GET /app/api/media/${id}`)).json.Upload).toMatchObject({
    Downloaded: half,
    TotalSize: film.length,
  })
  const { status, json } = await put(id, half, film.subarray(half))
  expect(status, JSON.stringify(json)).toBe(200)
  const { Media } = (await service.reader(`GET /media/${json.MediaId}`)).json
  expect(Media).toMatchObject({ Type: 'Video', Size: film.length, CreatedBy: '00Ademo00000002' })
  expect(Buffer.from(await (await fetch(Media.Resource)).arrayBuffer()).equals(film)).toBe(true)
  expect((await put(id, film.length, Buffer.from('x'))).status).toBe(409)
  expect((await service.admin('GET /upload', { query: '_count=100' })).json.Items).toEqual([])
})

test('excess bytes, wrong offsets and other users are rejected', async () => {
  const id = await begin(10)
  expect((await put(id, 0, Buffer.alloc(11))).status).toBe(413)
  expect((await put(id, 5, Buffer.alloc(1))).status).toBe(409)
  expect((await put(id, 'x', Buffer.alloc(1))).status).toBe(400)
  expect((await put(id, 0, Buffer.alloc(1), '-contributor')).status).toBe(404)
  expect((await put(id, 0, Buffer.alloc(1), '-read')).status).toBe(403)
  expect((await put(id, 0, Buffer.alloc(1))).json).toEqual({ Result: true, Offset: 1, MediaId: null })
})

test('an unusable file is rejected with a message once complete', async () => {
  const id = await begin(page.length)
  const { status, json } = await put(id, 0, page)
  expect([status, JSON.stringify(json)]).toEqual([400, expect.stringMatching(/\."/)])
  expect((await service.publisher(`GET /app/api/media/${id}`)).json.Upload.Status).toBe('failed')
  const sizes = await service.publisher('POST /app/api/media', { body: { name: 'x', size: 9 * 1024 ** 3 } })
  expect(sizes.status).toBe(400)
})

/** Uploads a file in chunks as the console does, with a harmless file name. */
async function send(name: string, bytes: Buffer) {
  const begun = await service.admin('POST /app/api/media', { body: { name: `${name}.png`, size: bytes.length } })
  if (begun.status !== 200) return begun
  let result: Awaited<ReturnType<typeof put>> = { status: 0, json: {} }
  for (let offset = 0; offset < bytes.length; offset += 8 * 2 ** 20)
    result = await put(begun.json.Upload.Id, offset, bytes.subarray(offset, offset + 8 * 2 ** 20), '')
  return result
}

/** All polyglot files; plainly valid and invalid ones are covered by the tests of the inspector, so a few suffice here. */
async function samples() {
  const plain = [...(await good()), ...(await broken()), ...unsupported()]
  return [...(await polyglots()), ...plain.filter((_, index) => index % deep(6, 1) === deep(3, 0))]
}

test('any upload is rejected with a message, or stored and served as inert content', async () => {
  const counts = { refused: 0, stored: 0 }
  for (const [name, bytes] of await samples()) {
    const { status, json } = await send(name, bytes)
    if (status === 400) {
      expect(json.Errors?.API.Error, name).toMatch(/^\S.{8,}\.$/s)
      counts.refused += 1
      continue
    }
    expect(status, `${name}: ${JSON.stringify(json)}`).toBe(200)
    counts.stored += 1
    const { Resource } = (await service.admin(`GET /media/${json.MediaId}`)).json.Media
    const served = await fetch(Resource)
    expect(Buffer.from(await served.arrayBuffer()).equals(bytes), name).toBe(true)
    const { headers } = served
    expect(harmless, name).toContain(headers.get('content-type'))
    expect(headers.get('x-content-type-options'), name).toBe('nosniff')
    expect(headers.get('content-security-policy'), name).toBe("sandbox; default-src 'none'")
    if (headers.get('content-type') === 'application/pdf')
      expect(headers.get('content-disposition')).toMatch(/^attachment/)
  }
  expect(counts.refused).toBeGreaterThan(deep(12, 50))
  expect(counts.stored).toBeGreaterThan(deep(8, 20))
  expect((await service.admin('GET /me')).status).toBe(200)
})

const harmless = ['image/jpeg', 'image/png', 'image/gif', 'video/mp4', 'application/pdf']
