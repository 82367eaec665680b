import { unzipSync } from 'fflate'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type FtpMoment,
  type FtpServer,
  startFtpServer,
} from '#areas/analytics/export/destination/ftp-server.fixture.ts'
import { buildPrograms } from '../../chaos/programs.ts'
import { endChildren, type ServiceChild, startChild } from '../../chaos/publishing/service-child.ts'
import { startTestService, type TestService, testKeys } from '../support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

let service: TestService
let folder: TemporaryFolder
let ftp: FtpServer
let program: string
beforeAll(async () => {
  folder = await temporaryFolder()
  ftp = await startFtpServer()
  program = (await buildPrograms()).service
  const environment = { CHORUS_ROLES: 'api', CHORUS_DATA_DIR: folder.path, CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' }
  service = await startTestService({ environment })
})
afterAll(async () => {
  await endChildren()
  await service.stop()
  await ftp.stop()
  await folder.remove()
})

const startWorker = () =>
  startChild(
    program,
    {
      ...{ CHORUS_ROLES: 'worker', CHORUS_PORT: '0', CHORUS_DATABASE_URL: service.databaseUrl },
      ...{ CHORUS_DATA_DIR: folder.path, CHORUS_SECRET_KEYS: testKeys, CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' },
    },
    () => {},
  )

async function kill(worker: ServiceChild) {
  worker.child.kill('SIGKILL')
  await worker.ended
}

test('killed while it is written, before it leaves, half-way, before it has its name and before that is written down, one whole file arrives', async () => {
  const destination = {
    host: '127.0.0.1',
    port: ftp.port,
    username: 'chorus',
    password: 'p@ss',
    secure: '0',
    timeout: 300,
  }
  const body = { type: 'Campaigns', timeRange: 'all-time', destinationType: 'FTP', destination }
  const { Id } = (await service.admin('POST /app/api/exports', { body })).json.Export
  const run = async () => (await service.admin(`GET /app/api/exports/${Id}/runs`)).json.Items[0]
  const whole = () => [...ftp.files].filter(([name]) => !name.endsWith('.part'))

  // While it is written: what it reads is kept from it.
  const client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
  expect((await service.admin(`POST /app/api/exports/${Id}/run`)).status).toBe(200)
  await client.query('begin; lock table campaigns in access exclusive mode')
  let worker = await startWorker()
  await expect.poll(async () => (await run()).Status, { timeout: 60_000 }).toBe('writing')
  await kill(worker)
  await client.query('rollback')
  await client.end()

  const moments: FtpMoment[] = ['login', 'half', 'stored', 'renamed']
  for (const moment of moments) {
    const met = new Promise<void>((resolve) => {
      ftp.at = async (one) => {
        if (one !== moment) return
        ftp.at = async () => {}
        await kill(worker)
        resolve()
      }
    })
    worker = await startWorker()
    await met
    expect(whole()).toHaveLength(moment === 'renamed' ? 1 : 0)
    expect((await run()).Status).toBe('delivering')
  }
  const [[name, file] = ['', Buffer.alloc(0)]] = whole()

  worker = await startWorker()
  await expect.poll(async () => (await run()).Status, { timeout: 60_000 }).toBe('done')
  const { FileName, Bytes, Attempts, Rows } = await run()
  expect([...ftp.files]).toEqual([[FileName, file]])
  expect([name, file.length, Attempts]).toEqual([FileName, Bytes, moments.length + 2])
  const lines = Buffer.from(unzipSync(file)['campaigns.csv'] ?? [])
    .toString()
    .split('\r\n')
  expect(lines).toHaveLength(Rows + 2)
  // What had arrived was not sent again.
  expect(ftp.asked.filter((line) => line.startsWith('STOR'))).toHaveLength(3)
  await worker.stop()
})
