import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, quickClicks, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { clicking } from '../../links/click/click.fixture.ts'
import { browser } from '../../links/redirect/links.fixture.ts'
import { incomingActivities } from './activity.fixture.ts'

let service: TestService
let clicks: ReturnType<typeof clicking>
let people: ReturnType<typeof incomingActivities>
beforeAll(async () => {
  service = await startTestService({ pollingIntervals: quickClicks })
  clicks = clicking(service.databaseUrl)
  people = incomingActivities(service.databaseUrl)
})
afterAll(async () => {
  await people.close()
  await service.stop()
})

let numbered = 0
const newEmail = () => `person${numbered++}@walkers.example`
const found = async (search: string, rest = '') =>
  (await service.reader('GET /lead', { query: `search=${encodeURIComponent(search)}${rest}` })).json
const activitiesOf = async (leadId: string) =>
  (await service.reader('GET /lead-activity', { query: `leadId=${leadId}` })).json.Items
const eventsOf = async (type: string, word: string) =>
  (
    await ownerQuery<{ data: string }>(
      service.databaseUrl,
      'select data from events where account_id = $1 and type = $2 and position($3 in data) > 0 order by id',
      [demoAccount, type, word],
    )
  ).map(({ data }) => JSON.parse(data)[0])

describe('conversions', () => {
  const convert = async (visitor: string, email: string) => {
    const { ConversionTag: tag } = (await service.admin('POST /app/api/conversion-tag', { body: { tag: 'Sign-up' } }))
      .json
    const response = await fetch(`${service.url}/l/conversion.gif?${new URLSearchParams({ tag: tag.Id, email })}`, {
      headers: { 'user-agent': browser, cookie: `chorus_visitor=${visitor}` },
    })
    expect(response.headers.get('x-chorus-conversion')).toBe('counted')
    return tag.Id as string
  }

  test('an email address creates a lead with its clicks, and one event', async () => {
    const visitor = 'visitor000000000000aaa'
    const email = newEmail()
    const [first, second] = [await clicks.link(), await clicks.link()]
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    await clicks.store({ link: first.id, visitor, at: at(9) }, { link: second.id, visitor, at: at(5) })
    await clicks.counted()
    const tagId = await convert(visitor, email)
    const { Items, Total } = await found(email)
    expect([Total, Items[0]]).toEqual([
      1,
      {
        Id: expect.stringMatching(/^0ld\w{12}$/),
        ParentId: null,
        AccountId: demoAccount,
        Type: 'person',
        Email: email,
        Name: '',
        FirstName: '',
        LastName: '',
        Photo: '',
        Phone: null,
        IsTracked: true,
        Profiles: [],
        RemoteLeads: [],
      },
    ])
    const id: string = Items[0].Id
    const listed = await activitiesOf(id)
    expect(listed.map(({ Type }: { Type: string }) => Type)).toEqual(['conversion', 'click', 'click'])
    expect(listed[0]).toEqual({
      Id: expect.stringMatching(/^0la\w{12}$/),
      ActivityDate: expect.any(String),
      AccountId: demoAccount,
      LeadId: id,
      Type: 'conversion',
      Network: expect.any(String),
      ProfileId: second.credential,
      PostlogId: second.postlog,
      Data: expect.objectContaining({ ConversionTagId: tagId }),
    })
    expect(await eventsOf('newLead', email)).toEqual([Items[0]])
    expect((await eventsOf('newLeadActivity', id)).map(({ Type }) => Type)).toEqual(['click', 'click', 'conversion'])
    const { json } = await service.reader('GET /click', { query: `leadId=${id}` })
    expect(json.Total).toBe(2)
    // The click in the event names its lead.
    expect((await eventsOf('newConversion', id))[0].LeadId).toBe(id)
  })

  test('concurrent conversions of one address create one lead', async () => {
    const email = newEmail()
    const visitors = Array.from({ length: 6 }, (_, index) => `visitor0000000000race${index}`)
    const link = await clicks.link()
    await clicks.store(...visitors.map((visitor) => ({ link: link.id, visitor })))
    await clicks.counted()
    await Promise.all(visitors.map((visitor) => convert(visitor, email)))
    expect((await found(email)).Total).toBe(1)
    expect(await eventsOf('newLead', email)).toHaveLength(1)
  })
})

describe('messages', () => {
  test('an address in a message creates a lead with the profile, and later activities belong to it', async () => {
    const email = newEmail()
    const person = { network: 'Twitter', personId: '555001', personUsername: 'kimwalks', personName: 'Kim Walker' }
    await people.arrive({ ...person, kind: 'message', text: `Write to me: <${email.toUpperCase()}>, please.` })
    const [lead] = (await found(email)).Items
    expect(lead).toMatchObject({ Name: 'Kim Walker', FirstName: 'Kim', LastName: 'Walker' })
    expect(lead.Profiles).toEqual([{ Network: 'Twitter', Url: 'https://x.com/kimwalks' }])
    const postlogId = '007somewhere000'
    await people.arrive({ ...person, kind: 'comment', text: 'Lovely.', postlogId }, { ...person, kind: 'like' })
    const listed = await activitiesOf(lead.Id)
    expect(listed.map(({ Type }: { Type: string }) => Type).sort()).toEqual(['comment', 'like', 'message'])
    expect((await eventsOf('newLeadActivity', lead.Id)).map(({ Type, PostlogId }) => [Type, PostlogId])).toEqual([
      ['message', null],
      ['comment', postlogId],
      ['like', null],
    ])
    expect(await eventsOf('newLead', email)).toHaveLength(1)
  })

  test('unknown people without an address create no lead', async () => {
    const before = (await found('', '&all_leads=1')).Total
    await people.arrive({ text: 'me@home is no address, nor is @somebody or a@b' }, { kind: 'like' })
    expect((await found('', '&all_leads=1')).Total).toBe(before)
  })

  test('duplicate activities are published once', async () => {
    const again = people.happening({ text: `mail ${newEmail()}` })
    for (let time = 0; time < 3; time++) await people.arrive(again)
    const [{ Id }] = (await found(again.text.slice(5))).Items
    expect(await activitiesOf(Id)).toHaveLength(1)
    expect(await eventsOf('newLeadActivity', Id)).toHaveLength(1)
  })

  test('concurrent activities in any order create one lead per address', async () => {
    const emails = Array.from({ length: 5 }, newEmail)
    const batch = (turn: number) =>
      Array.from({ length: 10 }, (_, index) => ({ text: `at ${emails[(index * 3 + turn) % 5]}` }))
    await Promise.all([0, 1, 2, 3].map((turn) => people.arrive(...batch(turn))))
    for (const email of emails) {
      const { Items, Total } = await found(email)
      expect(Total).toBe(1)
      expect(Items[0].Profiles).toHaveLength(8)
      expect(await eventsOf('newLead', email)).toHaveLength(1)
    }
  })
})

describe('manually', () => {
  test('a lead without an address is listed among all, and a later address identifies it', async () => {
    const name = `Sam Ridge ${numbered++}`
    const { json } = await service.contributor('POST /app/api/lead', { body: { name, phone: '+44 20 7946 0000' } })
    const { Id } = json.Lead
    expect((await found(name)).Total).toBe(0)
    expect((await found(name, '&all_leads=true')).Items[0]).toMatchObject({ Id, Phone: '+44 20 7946 0000', Email: '' })
    await ownerQuery(
      service.databaseUrl,
      `insert into lead_profiles (account_id, lead_id, network, remote_id, created) values ($1, $2, 'TikTok', 'sam', now())`,
      [demoAccount, Id],
    )
    const email = newEmail()
    await people.arrive({ network: 'TikTok', personId: 'sam', text: `It is ${email}` })
    expect((await found(email)).Items[0]).toMatchObject({ Id, Name: name })
    expect(await eventsOf('newLead', email)).toHaveLength(1)
    expect((await service.contributor('POST /app/api/lead', { body: { email } })).status).toBe(409)
    expect((await service.contributor('POST /app/api/lead', { body: {} })).status).toBe(400)
  })

  test('two leads of the same person are merged', async () => {
    const email = newEmail()
    const { Lead: known } = (await service.contributor('POST /app/api/lead', { body: { email } })).json
    const { Lead: nameless } = (
      await service.contributor('POST /app/api/lead', { body: { name: 'Ali Moor', phone: '123' } })
    ).json
    await ownerQuery(
      service.databaseUrl,
      `insert into lead_profiles (account_id, lead_id, network, remote_id, created) values ($1, $2, 'YouTube', 'ali', now())`,
      [demoAccount, nameless.Id],
    )
    await people.arrive({ network: 'YouTube', personId: 'ali', text: 'Hello.' })
    await people.arrive({ network: 'YouTube', personId: 'ali', text: `I am ${email}.` })
    expect((await service.reader(`GET /lead/${nameless.Id}`)).status).toBe(404)
    const { Lead } = (await service.reader(`GET /lead/${known.Id}`)).json
    expect(Lead).toMatchObject({ Name: 'Ali Moor', Phone: '123', Profiles: [{ Network: 'YouTube' }] })
    expect(await activitiesOf(known.Id)).toHaveLength(2)
    expect(await eventsOf('newLead', email)).toHaveLength(1)
  })
})

test('an activity is deleted, of the given lead only', async () => {
  const email = newEmail()
  await people.arrive({ text: email })
  const [{ Id }] = (await found(email)).Items
  const [activity] = await activitiesOf(Id)
  const at = `DELETE /lead-activity/${activity.Id}`
  expect((await service.publisher(at, { query: 'leadId=0ldnobody000001' })).status).toBe(404)
  expect((await service.contributor(at, { query: `leadId=${Id}` })).status).toBe(403)
  expect((await service.publisher(at, { query: `leadId=${Id}` })).json).toEqual({ Result: true })
  expect(await activitiesOf(Id)).toEqual([])
})
