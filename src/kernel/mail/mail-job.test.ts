import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import { elsewhere } from '../../../tests/support/files.ts'
import { nowhere, testKeys } from '../../../tests/support/service.ts'
import type { Database } from '../database/database.ts'
import { openListener } from '../database/listener.ts'
import { registerWorker } from '../jobs/lease.ts'
import { startWorker } from '../jobs/worker.ts'
import { openLog } from '../log.ts'
import { readKeyring } from '../secrets/keyring.ts'
import { openMailer } from './mail.ts'
import { mailJob, queueMail } from './send-mail.job.ts'
import { smtpSink } from './smtp-sink.fixture.ts'

let time = Date.parse('2026-05-01T12:00:00Z')
const clock = { now: () => new Date(time) }
const account = '001demo00000001'
const mail = { to: 'nora@example.com', subject: 'Hello', text: 'Nora' }

let database: Database
const endings: (() => unknown)[] = []
beforeEach(async () => {
  const { url, drop } = await freshDatabase()
  database = openPatientDatabase({ url, connections: 4 })
  const listener = await openListener(url)
  endings.push(
    drop,
    () => database.close(),
    () => listener.close(),
  )
  const sink = await smtpSink()
  await sink.close()
  port = sink.port
  const mailer = openMailer({ smtpUrl: `smtp://127.0.0.1:${port}`, from: 'c@example.com', outbox: '/nowhere' })
  const log = openLog('silent')
  const registration = await registerWorker(database.shared, url, clock, log)
  const worker = await startWorker({
    database,
    registration,
    listener,
    clock,
    keyring: readKeyring(testKeys),
    outbound: nowhere,
    ...elsewhere,
    log,
    jobs: [mailJob(mailer)],
    recurring: [],
  })
  endings.push(
    () => mailer.close(),
    () => registration.end(),
    () => worker.stop(),
  )
})
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

let port: number
const queued = () => database.shared.selectFrom('jobs').selectAll().execute()
const until = (done: () => Promise<unknown>) => expect.poll(done, { interval: 50 })

test('an email is retried until the SMTP server is back, and has the id of its job', async () => {
  await database.transaction(account, (db) => queueMail({ db, now: clock.now(), accountId: account }, mail))
  await until(async () => (await queued())[0]).toMatchObject({
    state: 'waiting',
    queue: 'mail',
    account,
    attempts: 1,
    due: new Date(time + 10_000),
    lastError: expect.stringContaining('ECONNREFUSED'),
  })
  const [{ id } = { id: '' }] = await queued()
  const sink = await smtpSink(port)
  // Closed last: it waits for the mailer's pooled connections.
  endings.unshift(() => sink.close())
  time += 10_000
  await until(queued).toEqual([])
  expect(sink.mails).toMatchObject([{ to: ['nora@example.com'], raw: expect.stringContaining(`<${id}@example.com>`) }])
})

test('an email that keeps failing is retried for 17 hours and then kept as a dead job with the error', async () => {
  await database.transaction(account, (db) => queueMail({ db, now: clock.now() }, mail))
  for (const [index, wait] of [10, 60, 600, 3600, 4 * 3600, 12 * 3600].entries()) {
    await until(async () => (await queued())[0]).toMatchObject({ attempts: index + 1, state: 'waiting' })
    time += wait * 1000
  }
  await until(async () => (await queued())[0]).toMatchObject({
    state: 'dead',
    attempts: 7,
    lastError: expect.stringContaining('ECONNREFUSED'),
  })
})
