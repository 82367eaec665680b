import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { profiles } from '../../../../tests/support/publishing.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
let moment = new Date()
beforeAll(async () => {
  service = await startTestService({ clock: { now: () => moment }, environment: { CHORUS_ROLES: 'api' } })
  // The demo data is relative to today; clearing its slots keeps it from interfering.
  await ownerQuery(service.databaseUrl, 'update sends set slot = null')
  moment = new Date('2027-01-04T00:00:00Z')
})
afterAll(() => service.stop())

const at = (id: string) => `/app/api/credential/${id}/queue-slots`
const setSlots = (slots: unknown, id = profiles.linkedInPage, as = service.publisher) =>
  as(`PUT ${at(id)}`, { body: { slots } })
const everyDay = (...times: string[]) =>
  [0, 1, 2, 3, 4, 5, 6].flatMap((weekday) => times.map((time) => ({ weekday, time })))

async function queued(rest: object = {}, as = service.publisher) {
  const about = { network: 'LinkedIn', campaignId: '002demo00000001', message: 'In line' }
  const { Id: messageId } = (await as('POST /message', { body: about })).json.Message
  const body = { messageId, credentialIds: profiles.linkedInPage, status: 'inqueue', ...rest }
  return as('POST /post', { body })
}

test('the slots of a queue are replaced as a whole and read in the time zone of the connecting user', async () => {
  const slots = [
    { weekday: 3, time: '14:30' },
    { weekday: 0, time: '23:59' },
    { weekday: 3, time: '00:00' },
    { weekday: 3, time: '14:30' },
  ]
  const expected = {
    Result: true,
    Items: [
      { Weekday: 0, Time: '23:59' },
      { Weekday: 3, Time: '00:00' },
      { Weekday: 3, Time: '14:30' },
    ],
    Total: 3,
    Timezone: 'Europe/London',
  }
  expect((await setSlots(slots)).json).toEqual(expected)
  expect((await service.reader(`GET ${at(profiles.linkedInPage)}`)).json).toEqual(expected)
  const form = 'slots[0][weekday]=1&slots[0][time]=09:05'
  const replaced = await service.publisher(`PUT ${at(profiles.linkedInPage)}`, { body: form })
  expect(replaced.json.Items).toEqual([{ Weekday: 1, Time: '09:05' }])
  expect((await setSlots([])).json).toMatchObject({ Items: [], Total: 0 })
})

test('a profile without a known owner uses UTC', async () => {
  const id = '003-1-queue1'
  await ownerQuery(
    service.databaseUrl,
    `insert into credentials (account_id, id, created, modified, created_by, network, network_account_id, kind, name, network_username, image_link, status)
     values ('001demo00000001', $1, now(), now(), '', 'LinkedIn', 'queue1', 'page', 'Nobody’s', 'nobody', '', 'valid')`,
    [id],
  )
  expect((await service.reader(`GET ${at(id)}`)).json).toEqual({ Result: true, Items: [], Total: 0, Timezone: 'UTC' })
})

test.each<[string, unknown]>([
  ['a weekday past Saturday', [{ weekday: 7, time: '09:00' }]],
  ['a negative weekday', [{ weekday: -1, time: '09:00' }]],
  ['no weekday', [{ time: '09:00' }]],
  ['no time', [{ weekday: 1 }]],
  ['an hour past the day', [{ weekday: 1, time: '24:00' }]],
  ['a time without a zero', [{ weekday: 1, time: '9:00' }]],
  ['seconds', [{ weekday: 1, time: '09:00:00' }]],
  ['words', ['monday']],
  ['no list', 'monday'],
  ['nothing', undefined],
  ['25 times on a day', Array.from({ length: 25 }, (_, n) => ({ weekday: 1, time: `10:${10 + n}` }))],
])('%s is refused, and the queue stays unchanged', async (_what, slots) => {
  await setSlots([{ weekday: 2, time: '10:00' }])
  const { status, json } = await setSlots(slots)
  expect([status, json.Errors.API.Error]).toEqual([400, expect.stringContaining('slots')])
  expect((await service.reader(`GET ${at(profiles.linkedInPage)}`)).json.Items).toEqual([{ Weekday: 2, Time: '10:00' }])
})

test('24 slots a day are accepted', async () => {
  const slots = everyDay(...Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`))
  expect((await setSlots(slots, profiles.tiktok)).json.Total).toBe(168)
})

test('slots are set only with permission to approve, and only for existing profiles', async () => {
  const slots = [{ weekday: 1, time: '09:00' }]
  expect((await setSlots(slots, profiles.facebook, service.contributor)).status).toBe(403)
  expect((await setSlots(slots, profiles.facebook, service.reader)).status).toBe(403)
  expect((await setSlots(slots, '003-1-absent')).status).toBe(404)
  expect((await setSlots(slots, profiles.facebook, service.otherAdmin)).status).toBe(404)
  expect((await service.otherAdmin(`GET ${at(profiles.facebook)}`)).status).toBe(404)
  expect((await service.admin('DELETE /credential/003-1-queue1')).status).toBe(200)
  expect((await service.admin(`GET ${at('003-1-queue1')}`)).status).toBe(404)
})

test('twenty concurrent posts get the twenty earliest free slots', async () => {
  await setSlots(everyDay('09:00', '14:30'))
  const made = await Promise.all(Array.from({ length: 20 }, () => queued()))
  expect(made.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const starts = made.map(({ json }) => json.Post.StartDateTime).sort()
  const days = Array.from({ length: 10 }, (_, n) => `2027-01-${String(n + 4).padStart(2, '0')}`)
  expect(starts).toEqual(days.flatMap((day) => [`${day} 09:00:00`, `${day} 14:30:00`]))
  expect(made[0]?.json.Post).toMatchObject({ Status: 'inqueue', Queued: 1 })
})

test('twenty posts queued while the slots change all get different slots', async () => {
  await setSlots(everyDay('08:00'), profiles.linkedInMember)
  const calls = Array.from({ length: 20 }, (_, n) => queued({ credentialIds: profiles.linkedInMember, n }))
  const changes = ['10:00', '11:00', '12:00'].map((time) => setSlots(everyDay(time, '08:00'), profiles.linkedInMember))
  const made = await Promise.all(calls)
  expect((await Promise.all(changes)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(made.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect(new Set(made.map(({ json }) => json.Post.StartDateTime)).size).toBe(20)
})

test('queued posts keep their time when the slots change, and a freed slot is used again', async () => {
  const id = profiles.linkedInPage
  moment = new Date('2028-01-03T00:00:00Z')
  await setSlots([{ weekday: 1, time: '09:00' }], id)
  const [first, second] = [(await queued()).json.Post, (await queued()).json.Post]
  expect([first.StartDateTime, second.StartDateTime]).toEqual(['2028-01-03 09:00:00', '2028-01-10 09:00:00'])
  await setSlots([{ weekday: 1, time: '10:00' }], id)
  expect((await service.reader(`GET /post/${first.Id}`)).json.Post.StartDateTime).toBe('2028-01-03 09:00:00')
  expect((await queued()).json.Post.StartDateTime).toBe('2028-01-03 10:00:00')
  await setSlots([{ weekday: 1, time: '09:00' }], id)
  expect((await service.publisher(`DELETE /post/${first.Id}`)).status).toBe(200)
  expect((await queued()).json.Post.StartDateTime).toBe('2028-01-03 09:00:00')
})

test('a queue draft keeps its slot until it is approved', async () => {
  moment = new Date('2029-01-01T00:00:00Z')
  await setSlots([{ weekday: 1, time: '09:00' }])
  const draft = (await queued({}, service.contributor)).json.Post
  expect(draft).toMatchObject({
    Status: 'inqueue-draft',
    ApproveStatus: 'Pending',
    StartDateTime: '2029-01-01 09:00:00',
  })
  expect((await queued()).json.Post.StartDateTime).toBe('2029-01-08 09:00:00')
  await service.publisher(`POST /workflow-item/${draft.Id}`)
  expect((await service.reader(`GET /post/${draft.Id}`)).json.Post).toMatchObject({
    Status: 'inqueue',
    StartDateTime: '2029-01-01 09:00:00',
  })
})

test('a profile without slots has no queue', async () => {
  await setSlots([])
  const { status, json } = await queued()
  expect([status, json.Errors.API.Error]).toEqual([409, expect.stringContaining('has no queue')])
})

test('a queued post gets no slot before its start date', async () => {
  await setSlots(everyDay('09:00'))
  const startDateTime = (moment: string) => ({ startDateTime: Date.parse(moment) / 1000 })
  expect((await queued(startDateTime('2029-06-01T08:00:00Z'))).json.Post.StartDateTime).toBe('2029-06-01 08:00:00')
  expect((await queued(startDateTime('2029-06-03T08:00:01Z'))).json.Post.StartDateTime).toBe('2029-06-04 08:00:00')
})

/** Local times and the moments they denote, across daylight saving changes. */
const changes: [zone: string, from: string, time: string, moments: string[]][] = [
  [
    'Europe/London',
    '2030-03-30T00:00:00Z',
    '01:30',
    ['2030-03-30 01:30:00', '2030-03-31 01:00:00', '2030-04-01 00:30:00'],
  ],
  [
    'Europe/London',
    '2030-10-26T00:00:00Z',
    '01:30',
    ['2030-10-26 00:30:00', '2030-10-27 00:30:00', '2030-10-28 01:30:00'],
  ],
  [
    'America/New_York',
    '2031-03-08T00:00:00Z',
    '02:30',
    ['2031-03-08 07:30:00', '2031-03-09 07:00:00', '2031-03-10 06:30:00'],
  ],
  [
    'America/New_York',
    '2031-11-01T00:00:00Z',
    '01:30',
    ['2031-11-01 05:30:00', '2031-11-02 05:30:00', '2031-11-03 06:30:00'],
  ],
  [
    'Australia/Lord_Howe',
    '2032-04-02T00:00:00Z',
    '01:45',
    ['2032-04-02 14:45:00', '2032-04-03 14:45:00', '2032-04-04 15:15:00'],
  ],
  [
    'Australia/Lord_Howe',
    '2032-10-01T00:00:00Z',
    '02:15',
    ['2032-10-01 15:45:00', '2032-10-02 15:30:00', '2032-10-03 15:15:00'],
  ],
]

test.each(changes)('in %s from %s a slot at %s has three different moments', async (timezone, from, time, moments) => {
  await service.admin('POST /user/00Ademo00000001', { body: { timezone } })
  moment = new Date(from)
  await setSlots(everyDay(time))
  const starts: string[] = []
  for (let n = 0; n < 3; n++) starts.push((await queued()).json.Post.StartDateTime)
  expect(starts).toEqual(moments)
})

test('the next free slots are listed without being reserved, in the time zone of the queue', async () => {
  await setSlots(everyDay('09:00'))
  const free = async (query = '') =>
    (await service.reader(`GET /app/api/credential/${profiles.linkedInPage}/free-slots`, { query })).json
  const first = await free('count=4')
  expect(first).toMatchObject({ Timezone: expect.stringContaining('/'), HasQueue: 1 })
  expect(first.Slots.length).toBe(4)
  const { Post } = (await queued()).json
  expect(Date.parse(`${Post.StartDateTime}Z`) / 1000, 'the listed slot is taken').toBe(first.Slots[0])
  expect((await free('count=3')).Slots).toEqual(first.Slots.slice(1))
  expect((await free(`count=1&after=${first.Slots[2]}`)).Slots).toEqual([first.Slots[3]])
  expect((await free('after=2001-01-01&count=1')).Slots, 'never in the past').toEqual([first.Slots[1]])
  expect((await free()).Slots.length).toBe(10)
  await setSlots([])
  expect(await free()).toMatchObject({ Slots: [], HasQueue: 0 })
  const absent = await service.reader('GET /app/api/credential/003-1-absent/free-slots')
  const foreign = await service.otherAdmin(`GET /app/api/credential/${profiles.linkedInPage}/free-slots`)
  expect([absent.status, foreign.text]).toEqual([404, absent.text])
})
