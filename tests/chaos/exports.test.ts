import { unzipSync } from 'fflate'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type FtpMoment,
  type FtpServer,
  startFtpServer,
} from '#areas/analytics/export/destination/ftp-server.fixture.ts'
import { keyDigest } from '#kernel/identities.ts'
import { buildPrograms, killChildren, type ServiceChild, startChild } from '../../chaos/processes.ts'
import { type Caller, caller } from '../support/caller.ts'
import { startTestService, type TestService, testKeys } from '../support/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

let service: TestService
let folder: TemporaryFolder
let program: string
let client: pg.Client
const servers: FtpServer[] = []
beforeAll(async () => {
  folder = await temporaryFolder()
  program = (await buildPrograms()).service
  const environment = { CHORUS_ROLES: 'api', CHORUS_DATA_DIR: folder.path, CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8' }
  service = await startTestService({ environment })
  client = new pg.Client({ connectionString: service.databaseUrl })
  await client.connect()
})
afterAll(async () => {
  killChildren()
  await client.end()
  await service.stop()
  for (const ftp of servers) await ftp.stop()
  await folder.remove()
})

const startWorker = () =>
  startChild(
    program,
    {
      CHORUS_ROLES: 'worker',
      CHORUS_PORT: '0',
      CHORUS_DATABASE_URL: service.databaseUrl,
      CHORUS_DATA_DIR: folder.path,
      CHORUS_SECRET_KEYS: testKeys,
      CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8',
    },
    () => {},
  )

async function kill(worker: ServiceChild) {
  worker.child.kill('SIGKILL')
  await worker.ended
}

/** A user with a separate account: each account runs one export at a time. */
async function callerOfNewAccount(number: number): Promise<Caller> {
  const [account, user, key] = [`001export00000${number}`, `00Aexport00000${number}`, `export-key-${number}`]
  await client.query(`insert into accounts (id, created, modified, name) values ('${account}', now(), now(), 'Export')`)
  await client.query(
    `insert into users (account_id, id, created, modified, first_name, last_name, email, role)
     values ('${account}', '${user}', now(), now(), 'Export', '${number}', '${user}@example.com', 'admin')`,
  )
  await client.query(
    `insert into api_keys (account_id, id, user_id, created, name, digest) values ('${account}', $1, '${user}', now(), 'Export', $2)`,
    [`keyexport00000${number}`, keyDigest(key)],
  )
  return caller(service.url, account, key)
}

/** An export to a server that blocks the upload once at this point. */
async function exportTo(moment: FtpMoment, ask: Caller) {
  const ftp = await startFtpServer()
  servers.push(ftp)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const reached = new Promise<void>((resolve) => {
    ftp.at = async (one) => {
      if (one !== moment) return
      ftp.at = async () => {}
      resolve()
      await released
    }
  })
  const destination = {
    host: '127.0.0.1',
    port: ftp.port,
    username: 'chorus',
    password: 'p@ss',
    secure: '0',
    timeout: 300,
  }
  const body = { type: 'Campaigns', timeRange: 'all-time', destinationType: 'FTP', destination }
  const { Id } = (await ask('POST /app/api/exports', { body })).json.Export
  const run = async () => (await ask(`GET /app/api/exports/${Id}/runs`)).json.Items[0]
  return {
    reached,
    release,
    run,
    begin: async () => expect((await ask(`POST /app/api/exports/${Id}/run`)).status).toBe(200),
    completeFiles: () => [...ftp.files].filter(([name]) => !name.endsWith('.part')),
    waitForStatus: (status: string) => expect.poll(async () => (await run()).Status, { timeout: 60_000 }).toBe(status),
    /** Expects one complete file after this many attempts; returns the number of uploads. */
    async expectComplete(attempts: number) {
      const { FileName, Bytes, Attempts, Rows } = await run()
      const [[name, file] = ['', Buffer.alloc(0)], ...more] = ftp.files
      expect([name, file.length, Attempts, more]).toEqual([FileName, Bytes, attempts, []])
      const text = Buffer.from(unzipSync(file)['campaigns.csv'] ?? []).toString()
      expect(text.split('\r\n')).toHaveLength(Rows + 2)
      return ftp.asked.filter((line) => line.startsWith('STOR')).length
    },
  }
}

test('an export killed at any step delivers one complete file', async () => {
  const others = {
    login: await exportTo('login', await callerOfNewAccount(1)),
    half: await exportTo('half', await callerOfNewAccount(2)),
    stored: await exportTo('stored', await callerOfNewAccount(3)),
  }
  const all = Object.values(others)
  const renamed = await exportTo('renamed', service.admin)
  let worker = await startWorker()
  for (const { begin } of all) await begin()
  await Promise.all(all.map(({ reached }) => reached))
  // The fourth kill is during writing: its reads are blocked.
  await client.query('begin; lock table campaigns in access exclusive mode')
  await renamed.begin()
  await renamed.waitForStatus('writing')
  await kill(worker)
  await client.query('rollback')
  for (const { release, completeFiles, run } of all) {
    release()
    expect([completeFiles(), (await run()).Status]).toEqual([[], 'delivering'])
  }

  worker = await startWorker()
  await renamed.reached
  for (const { waitForStatus } of all) await waitForStatus('done')
  await kill(worker)
  renamed.release()
  expect([renamed.completeFiles().length, (await renamed.run()).Status]).toEqual([1, 'delivering'])

  worker = await startWorker()
  await renamed.waitForStatus('done')
  await worker.stop()
  expect([
    await others.login.expectComplete(2),
    await others.half.expectComplete(2),
    await others.stored.expectComplete(2),
  ]).toEqual([1, 2, 2])
  // The delivered file was not sent again.
  expect(await renamed.expectComplete(3)).toBe(1)
})
