import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLog } from '#kernel/log.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startReceiver, type WebhookReceiver } from '../../../../tests/support/external-servers.ts'
import { type Publishing, profiles, startPublishing, until } from '../../../../tests/support/publishing.ts'
import { deep } from '../../../../tests/support/randomness.ts'
import { demoAccount, quickClicks } from '../../../../tests/support/service.ts'
import { insertMessage } from '../../inbox/message.fixture.ts'
import { clicking } from '../../links/click/click.fixture.ts'
import { browser } from '../../links/redirect/links.fixture.ts'
import { incomingActivities } from './activity.fixture.ts'

let service: Publishing
let receiver: WebhookReceiver
let people: ReturnType<typeof incomingActivities>
let clicks: ReturnType<typeof clicking>
let folder = ''
const logged: string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-forgetting-'))
  // Webhook deliveries fail, so that they are still queued when the person is deleted.
  receiver = await startReceiver((response) => response.writeHead(500).end())
  service = await startPublishing({
    pollingIntervals: quickClicks,
    log: openLog('debug', { write: (line: string) => void logged.push(line) }),
    environment: {
      CHORUS_OUTBOUND_ALLOW: '127.0.0.1',
      CHORUS_DATA_DIR: folder,
      CHORUS_WEBHOOK_RETRY_DELAYS: '1h',
      CHORUS_POLL_SECONDS: '3600',
    },
  })
  people = incomingActivities(service.databaseUrl)
  clicks = clicking(service.databaseUrl)
  for (const event of ['newLead', 'newLeadActivity', 'newConversion'])
    await service.admin('POST /webhook', { body: { event, name: event, url: receiver.url } })
})
afterAll(async () => {
  await people.close()
  await service.stop()
  await receiver.stop()
  await rm(folder, { recursive: true, force: true })
})

const query = <Row extends object>(text: string, values: unknown[] = []) =>
  ownerQuery<Row>(service.databaseUrl, text, values)

interface TestPerson {
  id: string
  email: string
  name: string
  phone: string
  username: string
}

const newPerson = (number: number): TestPerson => ({
  id: `88${String(number).padStart(8, '0')}`,
  email: `quill.${number}@Forget-${number}.example`,
  name: `Quillon Vesper${number}`,
  phone: `+44 7700 9${String(number).padStart(5, '0')}`,
  username: `quillon_vesper_${number}`,
})

/** Values that must not remain; the profile URL contains the username. */
const signsOf = ({ email, name, phone, username }: TestPerson) =>
  [email, name, phone, username].map((sign) => sign.toLowerCase())

/** Where any of the values remains: tables, files, the log. */
async function found(signs: readonly string[]): Promise<string[]> {
  const foundIn = new Set<string>()
  const search = (location: string, text: string) => {
    const small = text.toLowerCase()
    if (signs.some((sign) => small.includes(sign))) foundIn.add(location)
  }
  const tables = await query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  for (const { name } of tables) {
    const [dump] = await query<{ all: string | null }>(`select string_agg(t::text, E'\\n') as all from "${name}" t`)
    search(name, dump?.all ?? '')
  }
  for (const file of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (file.isFile()) search('files', await readFile(join(file.parentPath, file.name), 'latin1'))
  search('log', logged.join(''))
  return [...foundIn].sort()
}

const convert = async ({ id, email }: TestPerson, tag: string) => {
  const pixel = await fetch(`${service.url}/l/conversion.gif?${new URLSearchParams({ tag, email })}`, {
    headers: { 'user-agent': browser, cookie: `chorus_visitor=visitor${id.padStart(15, '0')}` },
  })
  expect(pixel.headers.get('x-chorus-conversion')).toBe('counted')
}

/** Sends a message with the email address, gets a reply and is mentioned. */
async function write(person: TestPerson) {
  const { id: personId, name: personName, username: personUsername, email, phone } = person
  const text = `I am ${personName}, write to ${email} or call ${phone}.`
  const author = { network: 'Twitter', personId, personName, personUsername }
  const itemId = await insertMessage(service.databaseUrl, {
    ...author,
    text,
    credentialId: '003-1-1500000000000000501',
  })
  await people.arrive({ ...author, kind: 'message', text, itemId })
  await query(
    `insert into inbox_entries (account_id, id, item_id, type, created, is_own, credential_id, content, details)
    values ($1, $2, $3, 'note', now(), true, '', $4, $5)`,
    [demoAccount, `eat${personId}note`.padEnd(15, '0'), itemId, `Called ${personName} at ${phone}`, { quoted: email }],
  )
  await query(
    `insert into inbox_replies (account_id, id, item_id, created, created_by, credential_id, network, kind, text, person_id, status)
    values ($1, $2, $3, now(), '', '003-1-1500000000000000501', 'Twitter', 'message', $4, $5, 'sent')`,
    [demoAccount, `0ir${personId}`.padEnd(15, '0'), itemId, `Dear ${personName}, gladly.`, personId],
  )
  return itemId
}

/** Scattered data: emails, queued work, mentions by others, saved searches. */
async function storeEverywhere(person: TestPerson, itemId: string) {
  const letter = { to: 'ada.marsh@example.com', subject: 'A note', text: `${person.name} (${person.email}) wrote.` }
  for (const [number, due] of ['now()', `now() + interval '1 day'`].entries())
    await query(
      `insert into jobs (id, queue, name, account, payload, priority, created, due) values ($1, 'mail', 'mail.send-mail', $2, $3, 0, now(), ${due})`,
      [`0jb${person.id}${number}`.padEnd(15, '0'), demoAccount, letter],
    )
  await query(
    `insert into inbox_activities (account_id, credential_id, dedupe_key, received, state, activity)
    values ($1, '003-1-1500000000000000501', $2, now(), 'refused', $3)`,
    [demoAccount, `key-${person.id}`, { from: { id: person.id, name: person.name }, text: 'Again me' }],
  )
  await query(
    `insert into inbox_views (account_id, id, created, modified, created_by, name, filters) values ($1, $2, now(), now(), '', 'Them', $3)`,
    [demoAccount, `0iv${person.id}`.padEnd(15, '0'), { q: person.email, status: ['open'] }],
  )
  await query(
    `insert into integrations (account_id, id, created, modified, created_by, type, status, state)
    values ($1, '014forget000001', now(), now(), '', 'hubspot', 'valid', 'active') on conflict do nothing`,
    [demoAccount],
  )
  await query(
    `insert into inbox_cases (account_id, item_id, integration_id, created, modified, created_by, description, status)
    values ($1, $2, '014forget000001', now(), now(), '', $3, 'failed')`,
    [demoAccount, itemId, `${person.name} asks`],
  )
  const other = {
    network: 'Twitter',
    personId: '42',
    personName: 'Somebody Else',
    credentialId: '003-1-1500000000000000501',
  }
  return insertMessage(service.databaseUrl, { ...other, text: `Ask ${person.name.toUpperCase()}, ${person.email}.` })
}

/** Networks and kinds of activity; some networks return no names. */
const meetings = [
  { network: 'Facebook', credentialId: profiles.facebook, kind: 'message', isNamed: false },
  { network: 'Facebook', credentialId: profiles.facebook, kind: 'mention', isNamed: true },
  { network: 'Twitter', credentialId: profiles.x, kind: 'message', isNamed: true },
  { network: 'Twitter', credentialId: profiles.x, kind: 'mention', isNamed: true },
  { network: 'LinkedIn', credentialId: profiles.linkedInPage, kind: 'message', isNamed: false },
  { network: 'LinkedIn', credentialId: profiles.linkedInPage, kind: 'mention', isNamed: false },
]

/** The network pushes the activity, the worker adds it to the inbox, and users reply, note, tag, save a response and open a case. */
async function meet(person: TestPerson, at: number, crm: string) {
  const { network, credentialId, kind, isNamed } = meetings[at % meetings.length] as (typeof meetings)[number]
  const { id, name, username, email, phone } = person
  const does = (data: object) =>
    service.sandbox.inject({ network, profile: credentialId.split('-').at(-1), from: { id, name, username }, ...data })
  const called = isNamed ? name : email
  const { remoteId } = await does({ kind, text: `${called} here, write to ${email} or call ${phone}.` })
  const { item_id: itemId } = await until(async () => {
    const text = 'select item_id from inbox_entries where content like $1'
    return (await query<{ item_id: string }>(text, [`${called} here,%`]))[0]
  })
  await does(kind === 'message' ? { kind, text: `${phone}!` } : { kind: 'like', parentId: remoteId })
  const ask = async (route: string, body: object) =>
    expect([route, (await service.contributor(route, { body })).json.Result]).toEqual([route, true])
  await ask(`POST /conversation/${itemId}/reply`, { message: `Dear ${called}, we write to ${email}.` })
  await ask(`POST /conversation/${itemId}/note`, { note: `${called} has ${phone}, too.` })
  await ask(`POST /conversation/${itemId}/tag`, { tags: [called] })
  await ask('POST /canned-response', {
    name: `For ${called}`,
    content: `Dear ${called}, gladly.`,
    visibility: 'shared',
  })
  await ask('POST /app/api/inbox/views', { name: `About ${called}`, isShared: true, q: email })
  await ask(`POST /conversation/${itemId}/create-case`, { integration_id: crm, case_description: `${called} asks` })
  await ask(`POST /conversation/${itemId}/assign`, { assignee_id: '00Ademo00000001' })
  return itemId
}

/** Resolves when the networks have every reply, and the external system every case. */
const repliesTo = (itemIds: readonly string[]) =>
  until(async () => {
    const [left] = await query<{ count: number }>(
      `select (select count(*) from inbox_replies where item_id = any ($1) and status = 'sent')::int
        + (select count(*) from inbox_cases where item_id = any ($1) and status = 'saved')::int as count`,
      [itemIds],
    )
    return left?.count === 2 * itemIds.length
  })

async function newCrm(): Promise<string> {
  const { json } = await service.admin('POST /integration', { body: { type: 'sandbox-crm' } })
  const body = { baseUrl: `${service.sandbox.url}/crm`, accessToken: 'sandbox-crm-token' }
  await service.admin(`PUT /app/api/integration/${json.Integration.Id}/settings`, { body })
  return json.Integration.Id
}

test('deleted people of every origin leave no data', async () => {
  // Enough people per kind to be deleted concurrently; each uses every kind.
  const some = deep(3, 30)
  const allPeople = Array.from({ length: 3 * some + meetings.length }, (_, number) => newPerson(number))
  const [converting, writing] = [allPeople.slice(0, some), allPeople.slice(some, 2 * some)]
  const [byHand, meeting] = [allPeople.slice(2 * some, 3 * some), allPeople.slice(3 * some)]
  const tag: string = (await service.admin('POST /app/api/conversion-tag', { body: { tag: 'Sign-up' } })).json
    .ConversionTag.Id
  const link = await clicks.link()
  await clicks.store(...converting.map(({ id }) => ({ link: link.id, visitor: `visitor${id.padStart(15, '0')}` })))
  await clicks.counted()
  for (const person of converting) await convert(person, tag)
  const named = new Map<string, string>()
  for (const person of writing) named.set(person.id, await storeEverywhere(person, await write(person)))
  const crm = await newCrm()
  const met: string[] = []
  for (const [at, person] of meeting.entries()) met.push(await meet(person, at, crm))
  await repliesTo(met)
  for (const { email, name, phone, id } of byHand)
    await service.contributor('POST /app/api/lead', {
      body: { email, name, phone },
      headers: { 'idempotency-key': `key-${id}` },
    })
  const listed = async () => (await service.reader('GET /lead', { query: 'search=Forget-&_count=100' })).json
  const { Items: leads, Total: total } = await listed()
  expect(total).toBe(allPeople.length)
  await expect
    .poll(async () => (await readdir(join(folder, 'outbox')).catch(() => [])).length)
    .toBeGreaterThanOrEqual(writing.length + met.length)
  await expect.poll(async () => (await query('select from event_queue')).length).toBe(0)

  const signs = allPeople.flatMap(signsOf)
  const before = await found(signs)
  // Visible before the deletion.
  for (const location of [
    'conversions',
    'events',
    'files',
    'inbox_activities',
    'inbox_cases',
    'inbox_entries',
    'inbox_items',
  ])
    expect(before).toContain(location)
  for (const location of ['inbox_replies', 'inbox_views', 'jobs', 'lead_activities', 'lead_profiles', 'leads'])
    expect(before).toContain(location)
  for (const location of ['canned_responses', 'conversation_tags']) expect(before).toContain(location)
  expect(
    await query('select from sends where content_id in (select id from inbox_replies where item_id = any ($1))', [met]),
  ).toHaveLength(met.length)
  expect(before).not.toContain('log')

  await Promise.all(
    leads.map(({ Id }: { Id: string }) =>
      service.publisher(`DELETE /lead/${Id}`).then(({ json }) => expect(json).toEqual({ Result: true })),
    ),
  )
  expect((await listed()).Total).toBe(0)
  const left = () => query(`select from jobs where name = 'leads.forget-person'`)
  await expect.poll(async () => (await left()).length, { timeout: 60_000, interval: 200 }).toBe(0)
  expect(await found(signs)).toEqual([])

  // Other data stays: items of others without the name, and counters.
  const [item] = await query<{ text: string; person_name: string }>(
    'select text, person_name from inbox_items where id = $1',
    [named.get(writing[0]?.id ?? '')],
  )
  expect(item).toEqual({ text: 'Ask [deleted], [deleted].', person_name: 'Somebody Else' })
  const [view] = await query<{ filters: object }>(`select filters from inbox_views where name = 'Them' limit 1`)
  expect(view?.filters).toEqual({ status: ['open'] })
  const [{ count } = { count: 0 }] = await query<{ count: number }>(
    'select count(*)::int as count from conversions where conversion_tag_id = $1',
    [tag],
  )
  expect(count).toBe(converting.length)
  // A stored idempotent response isn't returned again.
  const again = await service.contributor('POST /app/api/lead', {
    body: { email: byHand[0]?.email, name: byHand[0]?.name, phone: byHand[0]?.phone },
    headers: { 'idempotency-key': `key-${byHand[0]?.id}` },
  })
  expect(again.text).toBe('{"Result":true}')
  // Queued deliveries are dropped.
  expect(await query(`select from webhook_deliveries where due is not null`)).toEqual([])
}, 180_000)

test('a forgotten person who writes again is new', async () => {
  const person = newPerson(500)
  await write(person)
  const [lead] = (await service.reader('GET /lead', { query: 'search=Forget-500' })).json.Items
  expect((await service.contributor(`DELETE /lead/${lead.Id}`)).status).toBe(403)
  await service.publisher(`DELETE /lead/${lead.Id}`)
  expect((await service.publisher(`DELETE /lead/${lead.Id}`)).status).toBe(404)
  await people.arrive({ network: 'Twitter', personId: person.id, text: `Me again: ${person.email}` })
  const [again] = (await service.reader('GET /lead', { query: 'search=Forget-500' })).json.Items
  expect(again.Id).not.toBe(lead.Id)
})

test('all stored data of a person is returned', async () => {
  const person = newPerson(600)
  const itemId = await write(person)
  const [lead] = (await service.reader('GET /lead', { query: 'search=Forget-600' })).json.Items
  const { Export: data } = (await service.reader(`GET /app/api/lead/${lead.Id}/export`)).json
  expect(data).toMatchObject({
    isComplete: true,
    lead: { id: lead.Id, email: person.email.toLowerCase(), name: person.name },
    profiles: [{ network: 'Twitter', remoteId: person.id, username: person.username }],
    activities: [{ type: 'message', leadId: lead.Id }],
    conversations: [{ itemId, network: 'Twitter', personName: person.name }],
    clicks: [],
  })
  expect((await service.otherAdmin(`GET /app/api/lead/${lead.Id}/export`)).status).toBe(404)
})
