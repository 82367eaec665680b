import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, receiveHttp } from '#kernel/outbound/receivers.fixture.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { sampleFiles } from '../media.fixture.ts'

let service: TestService
let source: Receiver
beforeAll(async () => {
  const photo = (await sampleFiles())['photo.jpg']
  source = await receiveHttp(({ method, url = '' }, response) => {
    if (url.startsWith('/silent')) return undefined
    const drips = url.startsWith('/drips')
    const length = drips ? 1_000_000 : photo.length
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': length })
    if (method === 'HEAD') return response.end()
    return drips ? response.write('drop') : response.end(photo)
  })
  service = await startTestService({
    environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_ROLES: 'api,worker' },
  })
})
afterAll(async () => {
  await service.stop()
  await source.stop()
})

// Every poll is a request.
const patient = { timeout: 60_000, interval: 200 }

test('slow sources of one account do not block another account’s file', async () => {
  const order = (path: string) => ({ body: { source: `${source.url}/${path}`, name: 'a.jpg', mimeType: 'image/jpeg' } })
  const fetched = async () => {
    const { json } = await service.otherAdmin('POST /upload', order('photo.jpg'))
    const status = async () => (await service.otherAdmin(`GET /upload/${json.Upload.Id}`)).json.Upload.Status
    await expect.poll(status, patient).toBe('complete')
  }
  // The inspector process takes a while to start.
  await fetched()
  for (let count = 0; count < 16; count++) {
    const { status, text } = await service.admin('POST /upload', order(`drips/${count}.jpg`))
    expect(status, text).toBe(200)
  }
  await expect.poll(() => source.open.size, patient).toBeGreaterThan(0)
  await fetched()
  const { Items } = (await service.admin('GET /upload', { query: '_count=100' })).json
  expect(Items.filter(({ Status }: { Status: string }) => Status === 'pending')).toHaveLength(16)
}, 150_000)

test('an account whose callers all wait for silent servers gets 429, and another is served', async () => {
  let limited = 0
  const waiting = Array.from({ length: 12 }, (_, count) =>
    service.admin('POST /media', { body: { resource: `${source.url}/silent/${count}` } }).then((result) => {
      if (result.status === 429) limited++
      return result
    }),
  )
  await expect.poll(() => limited, patient).toBe(4)
  const { status } = await service.otherAdmin('POST /media', { body: { resource: `${source.url}/photo.jpg` } })
  expect(status).toBe(200)
  const answers = await Promise.all(waiting)
  expect(answers.filter((result) => result.status === 400)).toHaveLength(8)
  const progress = answers.find((result) => result.status === 429)
  expect([progress?.headers.get('retry-after'), progress?.json.Errors.API.Error]).toEqual([
    '5',
    expect.stringMatching(/\.$/),
  ])
}, 150_000)
