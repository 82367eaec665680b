import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { demoDatabase } from '../../../../../tests/support/database/database.ts'
import { ownerQuery } from '../../../../../tests/support/database/owner.ts'
import { quick, startTestService, type TestService } from '../../../../../tests/support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../../../../tests/support/temporary-folder.ts'
import { type FtpServer, startFtpServer } from '../destination/ftp-server.fixture.ts'
import { startSftpServer } from '../destination/sftp-server.fixture.ts'

const minute = 60_000
const hour = 60 * minute

let clockOffset = 0
let service: TestService
let own: Awaited<ReturnType<typeof demoDatabase>>
let folder: TemporaryFolder
let ftp: FtpServer
let sftp: Awaited<ReturnType<typeof startSftpServer>>
beforeAll(async () => {
  ;[own, folder, ftp, sftp] = await Promise.all([
    demoDatabase(systemClock),
    temporaryFolder(),
    startFtpServer(),
    startSftpServer(),
  ])
  // Scheduled demo content would be published when hours pass.
  await ownerQuery(own.url, 'update sends set due = null where due is not null')
  service = await startTestService({
    databaseUrl: own.url,
    clock: { now: () => new Date(Date.now() + clockOffset) },
    pollingIntervals: quick,
    environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_DATA_DIR: folder.path },
  })
})
afterAll(async () => {
  await service.stop()
  await Promise.all([own.drop(), folder.remove(), ftp.stop(), sftp.stop()])
})

const server = (port: number) => ({ host: '127.0.0.1', port, username: 'chorus', password: 'p@ss', secure: '0' })
async function made(destinationType: string, destination: object, more: object = {}): Promise<string> {
  const body = { type: 'Campaigns', timeRange: 'all-time', status: 'inactive', destinationType, destination, ...more }
  return (await service.admin('POST /app/api/exports', { body })).json.Export.Id
}
const runsOf = async (id: string) => (await service.admin(`GET /app/api/exports/${id}/runs`)).json.Items
const lastRun = async (id: string) => (await runsOf(id))[0] ?? {}
const start = (id: string) => service.admin(`POST /app/api/exports/${id}/run`)
const until = (id: string, expected: object) =>
  expect.poll(() => lastRun(id), { timeout: 60_000 }).toMatchObject(expected)

test('a rejected delivery is retried, then fails, and its owner gets an email', async () => {
  const id = await made('FTP', { ...server(ftp.port), password: 'wrong' })
  await start(id)
  await until(id, {
    Status: 'waiting',
    Attempts: 1,
    Error: expect.stringContaining('127.0.0.1 did not take the file: 530 No'),
  })
  for (const [index, wait] of [minute, 10 * minute, hour, 4 * hour].entries()) {
    clockOffset += wait + 1000
    await until(id, { Attempts: index + 2, Status: index === 3 ? 'failed' : 'waiting' })
  }
  const mails = () =>
    ownerQuery<{ text: string }>(
      service.databaseUrl,
      `select payload ->> 'text' as text from jobs where queue = 'mail' and payload ->> 'subject' = 'An export of Campaigns failed'`,
    )
  // The email may have been sent by now.
  const outbox = async () => readdir(join(folder.path, 'outbox')).catch(() => [])
  await expect.poll(async () => (await mails()).length + (await outbox()).length).toBeGreaterThan(0)
  expect(ftp.files.size).toBe(0)
  // After the fix it runs.
  await service.admin(`PUT /app/api/exports/${id}`, { body: { destination: { password: 'p@ss' } } })
  expect((await start(id)).status).toBe(200)
  await until(id, { Status: 'done', Error: '' })
})

test('a server with a changed host key gets nothing', async () => {
  const id = await made('SFTP', { ...server(sftp.port), hostKey: 'A'.repeat(43) })
  await start(id)
  await until(id, { Status: 'waiting', Error: expect.stringContaining(`another than before (SHA256:${sftp.hostKey})`) })
  expect(sftp.files.size).toBe(0)
})

test('a due export runs once, and the URL of its file expires after a day', async () => {
  const now = new Date(Date.now() + clockOffset)
  const id = await made('FTP', server(ftp.port), {
    status: 'active',
    hour: (now.getUTCHours() + 2) % 24,
    timezone: 'UTC',
  })
  expect(await runsOf(id)).toEqual([])
  const { NextRunDate } = (await service.admin(`GET /app/api/exports/${id}`)).json.Export
  clockOffset += 2 * hour
  await until(id, { Status: 'done', CreatedBy: '' })
  const after = (await service.admin(`GET /app/api/exports/${id}`)).json.Export
  expect(Date.parse(after.NextRunDate) - Date.parse(NextRunDate)).toBe(24 * hour)
  expect(await runsOf(id)).toHaveLength(1)

  const { LastRunFile } = (await service.admin(`GET /bi-export/${id}`)).json.Export
  const response = await fetch(LastRunFile)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
  expect(response.headers.get('cache-control')).toBe('private, no-store')
  const [, , account = '', run = '', token = '', name = ''] = new URL(LastRunFile).pathname.split('/')
  const other = `/export/${account}/0erother0000000/${token}/${name}`
  for (const path of [other, `/export/001demo00000002/${run}/${token}/${name}`, `/export/${account}/${run}/x/${name}`])
    expect((await fetch(service.url + path)).status).toBe(404)
  clockOffset += 25 * hour
  expect((await fetch(LastRunFile)).status).toBe(404)
  expect((await fetch((await service.admin(`GET /bi-export/${id}`)).json.Export.LastRunFile)).status).toBe(200)
})

test('files that may contain a person are deleted with the person, others stay', async () => {
  const [leads, campaigns] = [
    await made('FTP', server(ftp.port), { type: 'Leads' }),
    await made('FTP', server(ftp.port)),
  ]
  for (const id of [leads, campaigns]) {
    await start(id)
    await until(id, { Status: 'done' })
  }
  const fileOf = async (id: string): Promise<string> =>
    (await service.admin(`GET /bi-export/${id}`)).json.Export.LastRunFile
  const address = await fileOf(leads)
  expect((await fetch(address)).status).toBe(200)
  const [lead] = (await service.admin('GET /lead')).json.Items
  await service.admin(`DELETE /lead/${lead.Id}`)
  await expect.poll(() => fileOf(leads), { timeout: 60_000 }).toBe('')
  expect((await fetch(address)).status).toBe(404)
  const files = async () => (await readdir(folder.path, { recursive: true })).map(String)
  const key = new URL(address).pathname.split('/')[3] ?? ''
  await expect.poll(async () => (await files()).filter((name) => name.includes(key)), { timeout: 60_000 }).toEqual([])
  expect((await fetch(await fileOf(campaigns))).status).toBe(200)
})
