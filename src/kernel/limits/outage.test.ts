import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { ownerQuery } from '../database/owner.ts'
import { account, type Installation, newInstallation, user, usual } from './simulation.fixture.ts'

let database: { url: string; drop(): Promise<void> }
let installation: Installation

beforeEach(async () => {
  database = await freshDatabase()
  installation = newInstallation(database.url, usual)
})

afterEach(async () => {
  await installation.stop()
  await database.drop()
})

test('during a database outage calls within the limits are admitted and counted afterwards', async () => {
  const process = await installation.start()
  await process.call(user)
  await cutOff()
  for (let second = 0; second < 5; second++) {
    await installation.advance(1000)
    expect(await process.call(user)).toMatchObject({ admitted: true })
  }
  await expect(process.call('00Anewcomer0000')).rejects.toMatchObject({ kind: 'unavailable' })
  await reconnect()
  await installation.advance(1000)
  expect(await dayCount()).toBe(6)
})

test('calls that need the other processes fail during a database outage and are decided after it', async () => {
  const process = await installation.start()
  for (let call = 0; call < 60; call++) await process.call(user)
  await cutOff()
  await expect(process.call(user)).rejects.toThrow()
  await reconnect()
  expect(await process.call(user)).toMatchObject({ admitted: false, reason: 'second' })
  expect(process.admit(account, user)).toMatchObject({ admitted: false, reason: 'block' })
})

const name = () => new URL(database.url).pathname.slice(1)

async function cutOff() {
  await ownerQuery(inject('serverUrl'), `alter database ${name()} allow_connections false`)
  await ownerQuery(
    inject('serverUrl'),
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name()}'`,
  )
}

async function reconnect() {
  await ownerQuery(inject('serverUrl'), `alter database ${name()} allow_connections true`)
}

async function dayCount() {
  const rows = await ownerQuery<{ day_count: number }>(database.url, 'select day_count from rate_limits')
  return rows[0]?.day_count
}
