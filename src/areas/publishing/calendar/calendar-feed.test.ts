import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { posting } from '../post/post.fixture.ts'
import { icsOf } from './calendar-feed.ts'

let service: TestService
let make: ReturnType<typeof posting>
beforeAll(async () => {
  service = await startTestService()
  make = posting(service)
})
afterAll(() => service.stop())

const soon = Math.floor(Date.now() / 1000) + 24 * 60 * 60
const newKey = async (as = service.publisher): Promise<string> => (await as('POST /app/api/calendar-key')).json.Url
const read = async (url: string) => {
  const { search } = new URL(url)
  const response = await fetch(`${service.url}/app/api/calendar.ics${search}`)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

/** Unfolds continuation lines as calendar clients do. */
const unfolded = (text: string) => text.replaceAll('\r\n ', '').split('\r\n')

test("external calendars read the owner's view without a session until the key is revoked", async () => {
  const messageId = await make.message({ message: 'Tents, ropes; and \\ more\nsecond line' })
  const post = await make.post({ messageId, startDateTime: soon })
  const draft = await make.post({ startDateTime: soon, status: 'draft' })
  const url = await newKey()
  expect(new URL(url).pathname).toBe('/app/api/calendar.ics')
  const { status, type, text } = await read(url)
  expect([status, type]).toEqual([200, 'text/calendar; charset=utf-8'])
  const lines = unfolded(text)
  const event = (id: string) => {
    const from = lines.findIndex((line) => line.startsWith(`UID:${id}@`))
    return lines.slice(from, lines.indexOf('END:VEVENT', from))
  }
  expect(event(post.Id)).toEqual(
    expect.arrayContaining([
      'SUMMARY:LinkedIn: Tents\\, ropes\\; and \\\\ more',
      'DESCRIPTION:Tents\\, ropes\\; and \\\\ more\\nsecond line',
      `DTSTART:${new Date(soon * 1000).toISOString().replace(/[-:]|\.\d+/g, '')}`,
      'STATUS:CONFIRMED',
    ]),
  )
  expect(event(draft.Id)).toContain('STATUS:TENTATIVE')
  expect((await service.publisher('GET /app/api/calendar-key')).json).toMatchObject({
    HasKey: 1,
    LastUsed: expect.stringMatching(/^20/),
  })
  const next = await newKey()
  expect([(await read(url)).status, (await read(next)).status]).toEqual([404, 200])
  expect((await service.publisher('DELETE /app/api/calendar-key')).status).toBe(200)
  expect((await read(next)).status).toBe(404)
  expect((await service.publisher('GET /app/api/calendar-key')).json).toMatchObject({ HasKey: 0 })
})

test('a key gives access only to what its owner can see, and a wrong key to nothing', async () => {
  const campaignId = await make.campaign('Closed')
  const hidden = await make.post({ messageId: await make.message({ campaignId }), startDateTime: soon })
  await service.admin(`POST /team-entity/${campaignId}`, { body: { teamIds: '025demo00000002' } })
  const [own, admins, others] = [await newKey(), await newKey(service.admin), await newKey(service.otherAdmin)]
  expect((await read(own)).text).not.toContain(hidden.Id)
  expect((await read(others)).text).not.toContain(hidden.Id)
  expect((await read(admins)).text).toContain(hidden.Id)
  const [account, secret = ''] = (new URL(own).searchParams.get('key') ?? '').split('.')
  const wrong = [
    `${account}.${secret.slice(0, -1)}`,
    `${account}.${'A'.repeat(43)}`,
    `001demo00000002.${secret}`,
    '',
    'nonsense',
  ]
  for (const key of wrong) expect((await read(`http://x/?key=${key}`)).status, key).toBe(404)
  expect((await fetch(`${service.url}/app/api/calendar.ics?key[]=a&key[]=b`)).status).toBe(404)
})

test('the key of a deleted user is invalid', async () => {
  const url = await newKey(service.contributor)
  expect((await read(url)).status).toBe(200)
  await service.admin('DELETE /user/00Ademo00000003')
  expect((await read(url)).status).toBe(404)
})

test('lines have at most 75 octets, are never split inside a character, and cannot be injected', () => {
  const nasty = `${'ü🏔'.repeat(100)}\r\nBEGIN:VEVENT\nX-EVIL:1\u0000\u2028;,\\`
  const about = {
    from: new Date(0),
    until: new Date(60_000),
    changed: new Date(0),
    url: 'https://example.com/app/calendar',
  }
  const entry = { id: '004x', title: nasty, text: nasty, category: nasty, isTentative: false, ...about }
  const text = icsOf({ name: nasty, host: 'example.com', entries: [entry] })
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true)
  for (const line of text.split('\r\n')) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    expect(line.isWellFormed()).toBe(true)
    expect(line).not.toMatch(/[\n\r]/)
  }
  const lines = unfolded(text)
  expect(lines.filter((line) => line.startsWith('BEGIN:VEVENT')).length).toBe(1)
  expect(lines.filter((line) => line.startsWith('X-EVIL')).length).toBe(0)
  expect(lines.find((line) => line.startsWith('SUMMARY:'))).toBe(
    `SUMMARY:${'ü🏔'.repeat(100)}\\nBEGIN:VEVENT\\nX-EVIL:1\\n\\;\\,\\\\`,
  )
})
