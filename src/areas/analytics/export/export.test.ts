import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'

const publicAddress = async () => [{ address: '93.184.216.34', family: 4 as const }]

let service: TestService
beforeAll(async () => {
  service = await startTestService({ lookup: publicAddress, environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

const byFtp = {
  type: 'Posts',
  destinationType: 'FTP',
  destination: { host: 'files.example.com', directory: '/in/', username: 'acme', password: 'hunter2' },
}
const create = (body: object) => service.admin('POST /app/api/exports', { body })
const made = async (body: object) => (await create(body)).json.Export

describe('an export', () => {
  test('is returned as in the contract, with its password masked and encrypted', async () => {
    const { Id } = await made({
      ...byFtp,
      frequency: 'weekly',
      hour: 7,
      timezone: 'Europe/Berlin',
      timeRange: 'last-7-days',
    })
    expect(Id).toMatch(/^032\w{12}$/)
    expect((await service.admin(`GET /bi-export/${Id}`)).json).toEqual({
      Result: true,
      Export: {
        Id,
        DestinationType: 'FTP',
        Destination: {
          Host: 'files.example.com',
          Port: 21,
          Timeout: 30,
          Directory: '/in',
          Username: 'acme',
          Password: '********',
        },
        Type: 'Posts',
        Frequency: 'Weekly on Monday at 07:00 (Europe/Berlin)',
        TimeRange: 'Last 7 days',
        Status: 'active',
        LastRunDate: '0000-00-00 00:00:00',
        LastRunFile: '',
      },
    })
    const [row] = await ownerQuery<{ secret: string; destination: object }>(
      service.databaseUrl,
      'select secret, destination from exports where id = $1',
      [Id],
    )
    expect(row?.secret).toMatch(/^v1:k\w+:/)
    expect(JSON.stringify(row)).not.toContain('hunter2')
  })

  test.each([
    [
      'azure',
      { accountName: 'acmefiles', container: 'reports', key: 'a2V5' },
      { AccountName: 'acmefiles', Container: 'reports' },
    ],
    [
      'email',
      { email: 'ada@example.com', firstName: 'Ada' },
      { Email: 'ada@example.com', FirstName: 'Ada', LastName: '' },
    ],
    [
      's3',
      { bucketName: 'acme-files', path: 'a/b', accessKey: 'AK', secretKey: 'SK' },
      { BucketName: 'acme-files', Path: 'a/b' },
    ],
    [
      'SFTP',
      { host: 'files.example.com', username: 'acme', password: 'p' },
      { Host: 'files.example.com', Port: 22, Timeout: 30, Directory: '', Username: 'acme', Password: '********' },
    ],
  ])('to %s has the fields of its type, and no others', async (destinationType, destination, shown) => {
    const { Id } = await made({ type: 'clicks', destinationType, destination })
    expect((await service.admin(`GET /bi-export/${Id}`)).json.Export.Destination).toEqual(shown)
  })

  test('is changed field by field; omitted fields and a mask keep the secret', async () => {
    const { Id } = await made(byFtp)
    const sealed = async () =>
      (await ownerQuery<{ secret: string }>(service.databaseUrl, 'select secret from exports where id = $1', [Id]))[0]
        ?.secret
    const before = await sealed()
    const change = (body: object) => service.admin(`PUT /app/api/exports/${Id}`, { body })
    const masked = { host: 'files.example.com', directory: '/out', password: '********' }
    const paused = (await change({ status: 'inactive', destination: masked })).json.Export
    expect(paused).toMatchObject({
      Status: 'inactive',
      NextRunDate: '0000-00-00 00:00:00',
      Destination: { Directory: '/out' },
    })
    expect(await sealed()).toBe(before)
    const resumed = (await change({ status: 'active', destination: { port: '2121', password: 'other' } })).json.Export
    expect(resumed).toMatchObject({ Status: 'active', Destination: { Port: 2121, Host: 'files.example.com' } })
    expect(resumed.NextRunDate).not.toBe('0000-00-00 00:00:00')
    expect(await sealed()).not.toBe(before)
    const { status, json } = await change({
      destinationType: 'SFTP',
      destination: { host: 'files.example.com', username: 'a' },
    })
    expect([status, json.Errors.API.Error]).toEqual([400, 'destination[password] must not be empty.'])
  })

  describe('keeps its secret for the server and user it was given for', () => {
    const server = { host: 'files.example.com', username: 'acme', password: 'hunter2' }
    const hostKey = 'a'.repeat(43)
    const bucket = { bucketName: 'acme-files', accessKey: 'AK', secretKey: 'SK' }
    const container = { accountName: 'acmefiles', container: 'reports', key: 'a2V5' }
    test.each([
      ['FTP', server, 'password', { host: 'elsewhere.example.com' }],
      ['FTP', server, 'password', { port: '2121' }],
      ['FTP', server, 'password', { username: 'other' }],
      ['FTP', server, 'password', { secure: '0' }],
      ['FTP', { ...server, secure: '0' }, 'password', { secure: '1' }],
      ['SFTP', server, 'password', { host: 'elsewhere.example.com' }],
      ['SFTP', server, 'password', { port: '2222' }],
      ['SFTP', server, 'password', { username: 'other' }],
      ['SFTP', { ...server, hostKey }, 'password', { hostKey: 'b'.repeat(43) }],
      ['SFTP', { ...server, hostKey }, 'password', { hostKey: '' }],
      ['S3_bucket', bucket, 'secretKey', { endpoint: 'https://elsewhere.example.com' }],
      ['S3_bucket', bucket, 'secretKey', { bucketName: 'other-files' }],
      ['S3_bucket', bucket, 'secretKey', { accessKey: 'OTHER' }],
      ['azure', container, 'key', { endpoint: 'https://elsewhere.example.com' }],
      ['azure', container, 'key', { endpoint: 'http://acmefiles.blob.core.windows.net' }],
      ['azure', container, 'key', { accountName: 'otherfiles' }],
      ['azure', container, 'key', { container: 'other' }],
    ])('%s %o: %s must be given again with %o', async (destinationType, destination, secret, changes) => {
      const { Id } = await made({ type: 'Posts', destinationType, destination })
      const stored = async () =>
        (await ownerQuery(service.databaseUrl, 'select destination, secret from exports where id = $1', [Id]))[0]
      const change = (given: object) => service.admin(`PUT /app/api/exports/${Id}`, { body: { destination: given } })
      const before = await stored()
      const [name] = Object.keys(changes)
      for (const secrets of [{}, { [secret]: '********' }, { [secret]: '' }]) {
        const { status, json } = await change({ ...changes, ...secrets })
        expect([status, json.Errors?.API.Error]).toEqual([
          400,
          `destination[${secret}] must be given again because destination[${name}] changes.`,
        ])
      }
      expect(await stored()).toEqual(before)
      expect((await change({ ...changes, [secret]: 'a2V5Mg' })).status).toBe(200)
      expect(await stored()).not.toEqual(before)
    })

    test('the host key of an SFTP server belongs to the server', async () => {
      const { Id } = await made({ type: 'Posts', destinationType: 'SFTP', destination: { ...server, hostKey } })
      const change = async (destination: object) =>
        (await service.admin(`PUT /app/api/exports/${Id}`, { body: { destination } })).json.Export.Destination
      expect(await change({ ...server, password: '********', directory: '/in' })).toMatchObject({ HostKey: hostKey })
      expect(await change({ ...server, host: 'elsewhere.example.com' })).toMatchObject({ HostKey: '' })
    })

    test('also under concurrent changes', async () => {
      const { Id } = await made({ type: 'Posts', destinationType: 'FTP', destination: server })
      const change = (destination: object) => service.admin(`PUT /app/api/exports/${Id}`, { body: { destination } })
      for (let turn = 0; turn < 10; turn++) {
        await change({ host: 'elsewhere.example.com', password: 'elsewhere' })
        await Promise.all([change(server), change({ directory: `/in/${turn}` })])
        const { json } = await service.admin(`GET /app/api/exports/${Id}`)
        expect(json.Export.Destination.Host).toBe(server.host)
      }
    })
  })

  test('starts with its creator’s time zone, daily at six', async () => {
    await service.admin('POST /user/00Ademo00000001', { body: { timezone: 'Asia/Tokyo' } })
    expect(await made(byFtp)).toMatchObject({
      FrequencyText: expect.stringMatching(/^Daily at 06:00 \(/),
      TimeRangeText: 'Yesterday',
    })
  })

  test.each([
    [{ ...byFtp, type: 'Cats' }, /type must be one of Posts, Clicks/],
    [{ ...byFtp, destination: { username: 'acme', password: 'p' } }, /destination\[host\] must not be empty/],
    [{ ...byFtp, destination: { ...byFtp.destination, port: '70000' } }, /port must be 1 to 65535/],
    [{ ...byFtp, destination: { ...byFtp.destination, directory: '/a/../b' } }, /must not hold \.\./],
    [{ ...byFtp, destination: { ...byFtp.destination, host: '127.0.0.1' } }, /not reached at a public address/],
    [{ ...byFtp, destination: { ...byFtp.destination, host: '10.0.0.1:25' } }, /The host is not valid/],
    [{ ...byFtp, destination: { ...byFtp.destination, port: '25' } }, /Port 25 is not allowed/],
    [{ ...byFtp, destination: { ...byFtp.destination, username: 'a\r\nDELE x' } }, /one line/],
    [
      { ...byFtp, destinationType: 'email', destination: { email: 'a@b.c, d@e.f' } },
      /destination\[email\] is not valid/,
    ],
    [
      {
        ...byFtp,
        destinationType: 'azure',
        destination: { accountName: 'acmefiles', container: 'in', key: 'k', endpoint: 'http://169.254.169.254' },
      },
      /not reached at a public address/,
    ],
  ])('is rejected with a sentence: %o', async (body, sentence) => {
    const { status, json } = await create(body)
    expect([status, json.Errors?.API.Error]).toEqual([400, expect.stringMatching(sentence)])
  })

  test('is managed by admins only, and gone when deleted', async () => {
    const { Id } = await made(byFtp)
    for (const as of [service.publisher, service.contributor, service.reader])
      for (const route of [
        'GET /app/api/exports',
        `GET /app/api/exports/${Id}`,
        `GET /app/api/exports/${Id}/runs`,
        `POST /app/api/exports/${Id}/run`,
      ])
        expect((await as(route)).status).toBe(403)
    expect((await service.reader(`GET /bi-export/${Id}`)).json.Export).toMatchObject({ Id, LastRunFile: '' })
    expect((await service.otherAdmin(`GET /bi-export/${Id}`)).status).toBe(404)
    expect((await service.admin(`POST /app/api/exports/${Id}/run`)).json.Run).toMatchObject({
      Status: 'waiting',
      ExportId: Id,
    })
    expect((await service.admin(`POST /app/api/exports/${Id}/run`)).status).toBe(409)
    expect((await service.admin(`DELETE /app/api/exports/${Id}`)).json).toEqual({ Result: true })
    expect((await service.admin(`GET /bi-export/${Id}`)).status).toBe(404)
  })
})

describe('the list', () => {
  test('is filtered by status and sorted by the contract’s keys', async () => {
    const ids = async (query: string) => {
      const { json } = await service.admin('GET /bi-export', { query })
      expect(json).toEqual({ Result: true, Exports: expect.any(Array), Total: expect.any(Number) })
      return json.Exports as { Id: string; Status: string; Type: string }[]
    }
    const { Id } = await made({ ...byFtp, status: 'inactive' })
    expect((await ids('status=inactive')).map((one) => one.Id)).toContain(Id)
    const statuses = (await ids('')).map(({ Status }) => Status)
    expect(statuses).toEqual([...statuses].sort())
    for (const word of ['type', 'status', 'dest', 'last', 'freq'])
      for (const direction of [0, 1]) expect((await ids(`_order=${word},${direction}`)).length).toBeGreaterThan(3)
    expect((await service.admin('GET /bi-export', { query: '_order=name,1' })).status).toBe(400)
  })
})

test('a file is downloaded without credentials by an expiring URL of one run', async () => {
  const { Id } = await made(byFtp)
  const run = (await service.admin(`POST /app/api/exports/${Id}/run`)).json.Run.Id
  await ownerQuery(
    service.databaseUrl,
    `update export_runs set file_key = 'exports/x/y-1', file_name = 'a.zip' where id = $1`,
    [run],
  )
  await ownerQuery(service.databaseUrl, 'update exports set last_run = now(), last_run_id = $1 where id = $2', [
    run,
    Id,
  ])
  const { LastRunFile, LastRunDate } = (await service.admin(`GET /bi-export/${Id}`)).json.Export
  expect(LastRunDate).toMatch(/^\d{4}-/)
  expect(LastRunFile).toMatch(new RegExp(`^${service.url}/export/${demoAccount}/${run}/[\\w-]+/a\\.zip$`))
  // A missing file is an ordinary 404.
  expect((await fetch(LastRunFile)).status).toBe(404)
})
