import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Received, smtpSink } from '#kernel/mail/smtp-sink.fixture.ts'
import { type S3Server, startS3Server } from '#kernel/storage/s3-server.fixture.ts'
import { ownerQuery } from '../../../../../tests/support/database/owner.ts'
import { demoAccount, quickJobs, startTestService, type TestService } from '../../../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../../tests/support/temporary-folder.ts'
import { startAzureServer } from '../destination/azure-server.fixture.ts'
import { type FtpServer, startFtpServer } from '../destination/ftp-server.fixture.ts'
import { startSftpServer } from '../destination/sftp-server.fixture.ts'

let service: TestService
let folder: TemporaryFolder
let smtp: Awaited<ReturnType<typeof smtpSink>>
let ftp: FtpServer
let sftp: Awaited<ReturnType<typeof startSftpServer>>
let s3: S3Server
let azure: Awaited<ReturnType<typeof startAzureServer>>
beforeAll(async () => {
  ;[folder, smtp, ftp, sftp, s3, azure] = await Promise.all([
    temporaryFolder(),
    smtpSink(),
    startFtpServer(),
    startSftpServer(),
    startS3Server(),
    startAzureServer(),
  ])
  service = await startTestService({
    pollingIntervals: quickJobs,
    environment: {
      CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8',
      CHORUS_DATA_DIR: folder.path,
      CHORUS_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    },
  })
})
afterAll(async () => {
  await service.stop()
  await Promise.all([smtp.close(), ftp.stop(), sftp.stop(), s3.stop(), azure.stop(), folder.remove()])
})

const server = (port: number) => ({ host: '127.0.0.1', port, username: 'chorus', password: 'p@ss' })

async function made(destinationType: string, destination: object, more: object = {}) {
  const body = { type: 'Campaigns', timeRange: 'all-time', destinationType, destination, ...more }
  const { status, json } = await service.admin('POST /app/api/exports', { body })
  expect([status, json.Errors]).toEqual([200, undefined])
  return json.Export
}

const lastRun = async (id: string) => (await service.admin(`GET /app/api/exports/${id}/runs`)).json.Items[0]

/** Runs an export to its end. */
async function delivered(destinationType: string, destination: object, more: object = {}) {
  const { Id } = await made(destinationType, destination, more)
  expect((await service.admin(`POST /app/api/exports/${Id}/run`)).status).toBe(200)
  await expect.poll(async () => (await lastRun(Id)).Status, { timeout: 60_000 }).toBe('done')
  return { id: Id, run: await lastRun(Id) }
}

const tableIn = (zip: Uint8Array, name = 'campaigns.csv') => Buffer.from(unzipSync(zip)[name] ?? []).toString()

describe('a file is delivered completely under its own name', () => {
  const expectTable = (zip: Uint8Array) =>
    expect(tableIn(zip)).toMatch(/^Id,Created,Modified,Name,Status,(.*)\r\n002demo/)

  test('to an FTP server, under a temporary name first', async () => {
    const { run } = await delivered('FTP', { ...server(ftp.port), secure: '0', directory: '/exports' })
    expect([...ftp.files.keys()]).toEqual([run.FileName])
    expect(run.FileName).toMatch(/^campaigns-\d{4}-\d\d-\d\d-0er\w{12}\.zip$/)
    expectTable(ftp.files.get(run.FileName) ?? Buffer.alloc(0))
    const steps = ftp.asked.filter((line) => /^(CWD|STOR|RNFR|RNTO)/.test(line))
    expect(steps).toEqual([
      'CWD /exports',
      `STOR .${run.FileName}.part`,
      `RNFR .${run.FileName}.part`,
      `RNTO ${run.FileName}`,
    ])
  })

  test('to an SFTP server, whose key is stored', async () => {
    const { id, run } = await delivered('SFTP', { ...server(sftp.port), directory: 'in' })
    expect([...sftp.files.keys()]).toEqual([`in/${run.FileName}`])
    expectTable(sftp.files.get(`in/${run.FileName}`) ?? Buffer.alloc(0))
    expect((await service.admin(`GET /app/api/exports/${id}`)).json.Export.Destination).toMatchObject({
      HostKey: sftp.hostKey,
      Password: '********',
    })
  })

  test('to a bucket', async () => {
    const { endpoint, region, accessKey, secretKey } = s3.settings
    const scope = { bucketName: 'media', path: 'reports/daily', endpoint, region, accessKey, secretKey }
    const { run } = await delivered('S3_bucket', scope)
    const stored = s3.state.objects.get(`reports/daily/${run.FileName}`)
    expect(stored?.pieces.reduce((total, { size }) => total + size, 0)).toBe(run.Bytes)
  })

  test.each(['key', 'token'] as const)('to a blob container, authorized by %s', async (proof) => {
    const { run } = await delivered('azure', {
      accountName: azure.account,
      container: azure.container,
      endpoint: azure.url,
      key: azure[proof],
    })
    expectTable(azure.blobs.get(run.FileName) ?? Buffer.alloc(0))
  })

  test('by email', async () => {
    const { run } = await delivered('email', { email: 'ada@example.com', firstName: 'Ada' })
    const [mail] = smtp.mails.filter(({ raw }) => raw.includes(run.Id)) as [Received]
    expect(mail.to).toEqual(['ada@example.com'])
    expect(mail.raw).toMatch(new RegExp(`Message-ID: <${run.Id}@`, 'i'))
    const [, encoded = ''] = /filename=\S+\r\n\r\n([A-Za-z0-9+/=\r\n]+)\r\n--/.exec(mail.raw) ?? []
    expectTable(Buffer.from(encoded, 'base64'))
  })
})

test('every type of export is written with the names of the contract', async () => {
  const heads: Record<string, RegExp> = {
    Posts: /^Id,Created,Modified,Status,AccountId,.*,Message,CampaignName\r\n004demo/,
    Clicks: /^Id,Created,CampaignId,.*GeoLatitude\r\n009/,
    Conversions: /^Id,Created,CampaignId,.*GeoLatitude\r\n009/,
    Links: /^Id,Created,Modified,AccountId,.*,Clicks,Converts,CredentialId\r\n008/,
    Advocates: /^Id,Created,Modified,Status,Name,.*LastBoardLogin,Shares,Clicks\r\n00Ademo/,
    Leads: /^Id,Created,ParentId,AccountId,Type,Email,/,
    Inbox: /^Id,Created,Modified,Status,Network,ItemType,AssigneeId,ProfileName,PersonName,Text,Url,LastActivity\r\n/,
  }
  for (const [type, head] of Object.entries(heads)) {
    const { id, run } = await delivered('FTP', { ...server(ftp.port), secure: '0' }, { type })
    const { LastRunFile } = (await service.admin(`GET /bi-export/${id}`)).json.Export
    const table = tableIn(new Uint8Array(await (await fetch(LastRunFile)).arrayBuffer()), `${type.toLowerCase()}.csv`)
    expect(table).toMatch(head)
    expect(table).toBe(tableIn(ftp.files.get(run.FileName) ?? Buffer.alloc(0), `${type.toLowerCase()}.csv`))
  }
  const [{ count } = { count: 0 }] = await ownerQuery<{ count: number }>(
    service.databaseUrl,
    `select count(*)::int as count from clicks where account_id = $1 and class = 'human'`,
    [demoAccount],
  )
  const { Items } = (await service.admin('GET /app/api/exports', { query: '_order=type,1&_count=100' })).json
  const clicks = Items.find(({ Type }: { Type: string }) => Type === 'Clicks')
  expect(await lastRun(clicks.Id)).toMatchObject({ Rows: count, Unreadable: 0 })
})
