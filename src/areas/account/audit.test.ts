import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chorusHere } from '../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import {
  demoAccount,
  otherAccount,
  quickJobs,
  startTestService,
  type TestService,
  testKeys,
} from '../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../tests/support/temporary-folder.ts'
import { givePassword, pablo, signIn } from './session/session.fixture.ts'

const second = 1000
const day = 24 * 60 * 60 * second
let clockOffset = 0
const clock = { now: () => new Date(Date.now() + clockOffset) }
let folder: TemporaryFolder
let service: TestService
beforeAll(async () => {
  folder = await temporaryFolder()
  const environment = {
    CHORUS_DATA_DIR: folder.path,
    CHORUS_TRUSTED_PROXIES: '127.0.0.1',
    CHORUS_AUDIT_DAYS: '2',
    CHORUS_ROLES: 'api,worker',
  }
  service = await startTestService({ clock, pollingIntervals: quickJobs, environment })
  await givePassword(service)
})
afterAll(async () => {
  await service.stop()
  await folder.remove()
})

interface AuditRow {
  Id: string
  UserId: string
  UserName: string
  Via: string
  ViaId: string
  Address: string
  Operation: string
  EntityId: string
  Fields: string[]
  Count: number
  Refused: number
}

const audit = async (
  filter: Record<string, string | number> = {},
): Promise<{ Items: AuditRow[]; Next: string | null }> => {
  const { status, text, json } = await service.admin('GET /app/api/audit', { body: filter })
  expect(status, text).toBe(200)
  return json
}
const latest = async (filter = {}) => (await audit({ ...filter, _count: 1 })).Items[0]

describe('signing in and out', () => {
  test('is logged with the address, like ending sessions and changing the password', async () => {
    const home = '203.0.113.20'
    const { ask } = await signIn(service.url, pablo, home)
    const { SessionId } = (await ask('GET /app/api/session')).json
    const who = { UserId: pablo.id, UserName: 'Pablo Reyes', Refused: 0, Count: 1 }
    expect(await latest()).toMatchObject({
      ...who,
      Address: home,
      Via: 'password',
      ViaId: '',
      Operation: 'POST /app/api/session',
      EntityId: SessionId,
      Fields: [],
    })
    await signIn(service.url, pablo, home)
    await signIn(service.url, pablo, home)
    await ask('DELETE /app/api/sessions')
    const by = { ...who, Via: 'session', ViaId: SessionId }
    expect(await latest()).toMatchObject({
      ...by,
      Operation: 'DELETE /app/api/sessions',
      EntityId: pablo.id,
      Count: 2,
    })
    await ask('POST /app/api/password', { body: { present: pablo.password, password: pablo.password } })
    const fields = ['password', 'present']
    expect(await latest()).toMatchObject({
      ...by,
      Operation: 'POST /app/api/password',
      EntityId: pablo.id,
      Fields: fields,
    })
    await ask('DELETE /app/api/session')
    expect(await latest()).toMatchObject({ ...by, Operation: 'DELETE /app/api/session', EntityId: SessionId })
  })

  test('is logged the same way from the plain pages', async () => {
    const form = (path: string, values: Record<string, string>, headers: Record<string, string> = {}) =>
      fetch(service.url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
        body: new URLSearchParams(values),
      })
    const entered = await form('/app/sign-in', { email: pablo.email, password: pablo.password })
    const began = await latest()
    expect(began).toMatchObject({ UserId: pablo.id, Via: 'password', Operation: 'POST /app/api/session' })
    await form('/app/sign-out', {}, { cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '' })
    const ended = { UserId: pablo.id, Via: 'session', Operation: 'DELETE /app/api/session' }
    expect(await latest()).toMatchObject({ ...ended, EntityId: began?.EntityId, ViaId: began?.EntityId })
  })

  test('with a wrong password is logged up to twenty times per hour', async () => {
    const refused = async () => (await audit({ via: 'password', _count: 100 })).Items.filter((entry) => entry.Refused)
    const wrong = { email: pablo.email, password: 'not the password' }
    await signIn(service.url, { email: 'nobody@example.com', password: 'not the password' })
    const guess = async (from: string) => {
      // Skips the backoff after ten failed attempts.
      clockOffset += 2 * second
      expect((await signIn(service.url, wrong, from)).status).toBe(401)
    }
    // From a known and from an unknown IP address, which the rate limit counts separately.
    for (const from of ['203.0.113.20', '203.0.113.66']) for (let number = 0; number < 10; number++) await guess(from)
    await expect.poll(async () => (await refused()).length).toBe(20)
    for (const from of ['203.0.113.20', '203.0.113.66']) await guess(from)
    clockOffset += 5 * second
    expect((await signIn(service.url, pablo, '203.0.113.20')).status).toBe(200)
    const all = await refused()
    expect(all.length).toBe(20)
    expect(all[0]).toMatchObject({
      UserId: pablo.id,
      EntityId: pablo.id,
      Address: '203.0.113.66',
      Operation: 'POST /app/api/session',
    })
    clockOffset += 61 * 60 * second
    await guess('203.0.113.67')
    await expect.poll(async () => (await refused()).length).toBe(21)
  })
})

describe('the log', () => {
  test('filters by operation, entity, user, method and time', async () => {
    clockOffset += 5 * second
    const begun = clock.now()
    clockOffset += 5 * second
    const { Id: team } = (await service.admin('POST /team', { body: { name: 'Audited' } })).json.Team
    await service.admin(`POST /team/${team}`, { body: { name: 'Renamed' } })
    await service.publisher('POST /tag', { body: { tag: 'Audited' } })
    clockOffset += 5 * second
    const between = clock.now()
    clockOffset += 5 * second
    await service.admin(`DELETE /team/${team}`)
    const of = async (filter: Record<string, string>) =>
      (await audit({ from: seconds(begun), ...filter })).Items.map(({ Operation }) => Operation)
    const [made, renamed, deleted] = ['POST /team', 'POST /team/{id}', 'DELETE /team/{id}'] as [string, string, string]
    expect(await of({})).toEqual([deleted, 'POST /tag', renamed, made])
    expect(await of({ id: team })).toEqual([deleted, renamed, made])
    expect(await of({ userId: pablo.id })).toEqual(['POST /tag'])
    expect(await of({ operation: deleted })).toEqual([deleted])
    expect(await of({ operation: `${made},${deleted}` })).toEqual([deleted, made])
    expect(await of({ operation: `${made},${deleted}`, id: team, to: seconds(between) })).toEqual([made])
    expect(await of({ to: seconds(between) })).toEqual(['POST /tag', renamed, made])
    expect(await of({ from: seconds(between) })).toEqual([deleted])
    expect([await of({ via: 'key' }), await of({ via: 'session' })]).toEqual([await of({}), []])
  })

  test('pages without gaps and duplicates while entries are added', async () => {
    const whole = (await audit({ _count: 100 })).Items.map(({ Id }) => Id)
    const seen: string[] = []
    let next: string | null = ''
    while (next !== null && seen.length < whole.length) {
      const page = await audit({ _count: 8, ...(next && { _after: next }) })
      seen.push(...page.Items.map(({ Id }) => Id))
      next = page.Next
      await service.admin('POST /tag', { body: { tag: `Meanwhile ${seen.length}` } })
    }
    expect(seen.slice(0, whole.length)).toEqual(whole)
    const { Items, Next } = await audit({ id: 'nothing' })
    expect([Items, Next]).toEqual([[], null])
    const odd = await service.admin('GET /app/api/audit', { body: { _after: '025demo00000001' } })
    expect([odd.status, odd.text]).toEqual([400, expect.stringContaining('_after must be the Next of another page.')])
  })

  test('is visible to admins of the account only', async () => {
    expect((await service.otherAdmin('GET /app/api/audit')).json).toEqual({ Result: true, Items: [], Next: null })
    expect((await service.publisher('GET /app/api/audit')).status).toBe(403)
  })

  test('adds no network packet to a change', async () => {
    const packets = await packetsOf(async () => {
      const body = { network: 'LinkedIn', campaignId: '002demo00000001', message: 'Words' }
      const messageId = (await service.admin('POST /message', { body })).json.Message.Id
      const planned = { messageId, credentialIds: '003-1-2414183', startDateTime: 1_900_000_000 }
      expect((await service.admin('POST /post', { body: planned })).status).toBe(200)
    })
    const writing = packets.filter((texts) => texts.some((text) => text.startsWith('insert into audit_log')))
    expect(writing.map((texts) => texts.at(-1))).toEqual(['commit', 'commit'])
  })

  test('has changes by operator commands, but not reads', async () => {
    const chorus = (words: string) =>
      chorusHere(words.split(' '), {
        CHORUS_DATABASE_URL: service.databaseUrl,
        CHORUS_DATA_DIR: folder.path,
        CHORUS_SECRET_KEYS: testKeys,
      })
    const account = `--account ${demoAccount}`
    await chorus(`user list ${account}`)
    await chorus(`user role ${account} --user ${pablo.email} --role publisher`)
    const key = /key\w{12}/.exec(await chorus(`key create ${account} --email ${pablo.email} --name Audited`))?.[0]
    await chorus(`key list ${account}`)
    await chorus(`key revoke ${account} --id ${key}`)
    await expect(chorus(`key revoke ${account} --id ${key}`)).rejects.toThrow()
    await chorus(`user password ${pablo.email}`)
    const { Items } = await audit({ via: 'operator' })
    expect(Items.map(({ Operation, EntityId }) => [Operation, EntityId])).toEqual([
      ['user password', pablo.id],
      ['key revoke', key],
      ['key create', key],
      ['user role', pablo.id],
    ])
    expect(Items[0]).toMatchObject({ UserId: '', UserName: '', ViaId: '', Address: '', Fields: [] })
  })

  test('can’t be changed or deleted by the service, except for the oldest entries of one account', async () => {
    const entry = (await service.admin('POST /tag', { body: { tag: 'Kept' } })).json.Tag.Id
    const database = openPatientDatabase({ url: service.databaseUrl, connections: 2 })
    const db = database.forAccount(demoAccount)
    const count = async (account: string) =>
      (await ownerQuery(service.databaseUrl, 'select from audit_log where account_id = $1', [account])).length
    const before = await count(demoAccount)
    for (const attempt of [
      db.updateTable('auditLog').set({ userId: '' }).where('accountId', '=', demoAccount),
      db.deleteFrom('auditLog').where('accountId', '=', demoAccount),
    ])
      await expect(attempt.execute()).rejects.toMatchObject({ code: '42501' })
    await expect(sql`truncate audit_log`.execute(db)).rejects.toMatchObject({ code: '42501' })
    expect(await latest({ id: entry })).toMatchObject({ UserId: '00Ademo00000001' })
    expect(await count(demoAccount)).toBe(before)

    await service.otherAdmin('POST /tag', { body: { tag: 'Kept' } })
    const others = await count(otherAccount)
    const forget = (account: string, end: string, most: number) =>
      sql<{ gone: number }>`select chorus_delete_audit_entries(${account}, ${end}, ${most}::integer) as gone`.execute(
        db,
      )
    expect((await forget(otherAccount, '0ddzzzzzzzzzzzz', 10)).rows, 'of another account').toEqual([{ gone: 0 }])
    expect((await forget(demoAccount, '0dd000000000000', 10)).rows, 'that are newer').toEqual([{ gone: 0 }])
    expect([await count(demoAccount), await count(otherAccount)]).toEqual([before, others])
    await database.close()
  })

  test('deletes entries older than the retention, however many', async () => {
    await ownerQuery(
      service.databaseUrl,
      `insert into audit_log (account_id, id, created, user_id, via, via_id, address, operation, entity_id, fields, count)
      select account, '0dd0000' || lpad(n::text, 8, '0'), now(), '', 'operator', '', '', 'user role', '', '{}', 1
      from unnest($1::text[]) account, generate_series(1, case when account = $2 then 5001 else 1 end) n`,
      [[demoAccount, otherAccount], demoAccount],
    )
    clockOffset += 3 * day
    const fresh = (await service.admin('POST /tag', { body: { tag: 'Fresh' } })).json.Tag.Id
    const left = async () => {
      const rows = await ownerQuery<{ count: number }>(
        service.databaseUrl,
        'select count(*)::int as count from audit_log',
      )
      return rows[0]?.count
    }
    await expect.poll(left).toBe(1)
    expect((await audit()).Items.map(({ EntityId }) => EntityId)).toEqual([fresh])
  })
})

const seconds = (date: Date) => String(Math.floor(date.getTime() / 1000))

/** The statements sent to the database in one packet during the callback. */
async function packetsOf(work: () => Promise<void>): Promise<string[][]> {
  const packets: string[][] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const { statements } = args[0] as { statements?: { text: string }[] }
    if (statements) packets.push(statements.map(({ text }) => text))
    return (query as (...all: unknown[]) => unknown).apply(this, args)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return packets
}
