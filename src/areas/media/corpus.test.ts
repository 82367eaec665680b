import { afterAll, beforeAll, expect, test } from 'vitest'
import { corpus } from '#kernel/probe/corpus.fixture.ts'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.stop())

const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}`

/** Sends a file as the console does, in pieces, under a name that promises something harmless. */
async function send(name: string, bytes: Buffer) {
  const begun = await service.admin('POST /app/api/media', { body: { name: `${name}.png`, size: bytes.length } })
  if (begun.status !== 200) return { status: begun.status, json: begun.json }
  let answer = { status: 0, json: {} as { MediaId?: string; Errors?: { API: { Error: string } } } }
  for (let offset = 0; offset < bytes.length; offset += 8 * 2 ** 20) {
    const response = await fetch(`${service.url}/app/api/media/${begun.json.Upload.Id}?offset=${offset}`, {
      method: 'PUT',
      headers: { authorization },
      body: new Uint8Array(bytes.subarray(offset, offset + 8 * 2 ** 20)),
    })
    answer = { status: response.status, json: (await response.json()) as typeof answer.json }
  }
  return answer
}

test('whatever is sent is refused with a sentence, or stored and given out as nothing that could act', async () => {
  const counts = { refused: 0, stored: 0 }
  for (const [name, bytes] of await corpus()) {
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
  expect(counts.refused).toBeGreaterThan(50)
  expect(counts.stored).toBeGreaterThan(20)
  expect((await service.admin('GET /me')).status).toBe(200)
})

const harmless = ['image/jpeg', 'image/png', 'image/gif', 'video/mp4', 'application/pdf']
