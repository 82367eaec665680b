import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { ownerQuery } from '#kernel/database/owner.ts'
import { type Caller, caller } from '../support/caller.ts'
import { chorusHere } from '../support/command-line.ts'
import { demoDatabase, freshDatabase } from '../support/database/database.ts'
import { runProgram } from '../support/program.ts'
import { demoKey, startTestService, testKeys } from '../support/service.ts'
import { journeyFolder } from './journey.ts'

const folder = journeyFolder()

const account = '001demo00000001'
/** The demo database shared by all tests, which saves seeding another. */
const settings = (name: string) => ({
  CHORUS_DATA_DIR: join(folder.path, name),
  CHORUS_PORT: '0',
  CHORUS_DEMO: '0',
  CHORUS_SECRET_KEYS: testKeys,
})
const demoTeams = ['Asia Pacific', 'Europe']
const teamsOf = async (admin: Caller) =>
  (await admin('GET /team')).json.Items.map((team: { Name: string }) => team.Name)

/** Runs in this process; parsing of the command line is covered by other journeys. */
const chorus = chorusHere

/** Starts the service, runs some work, and stops it. */
async function whileServing(environment: Record<string, string>, work: (admin: Caller) => Promise<void>) {
  const program = runProgram('start', [], environment)
  const url = await program.printed(/Base URL +(http:\S+)\/v2/)
  await work(caller(url, account, demoKey))
  program.child.kill('SIGTERM')
  await program.ended
}

test('an installation keeps its data when moved from a server, backed up online, restored and moved back', async () => {
  const [first, last] = [await demoDatabase(systemClock), await freshDatabase()]
  // Nine tenths of the demo's rows; the remaining tables cover every kind.
  await ownerQuery(first.url, 'truncate daily_rollups, quarter_hour_rollups')
  const home = settings('home')
  expect(await chorus(['move', '--from', first.url], home)).toMatch(/Moved \d+ rows/)
  const file = join(folder.path, 'backup.chorus')
  await whileServing(home, async (admin) => {
    await admin('POST /team', { body: { name: 'Travellers' } })
    const backup = runProgram('chorus', ['backup', '--file', file], home)
    expect(await backup.ended, backup.output()).toBe(0)
    expect(backup.output()).toMatch(/Backed up \d+ rows/)
    await expect(chorus(['move', '--to', 'postgres://nowhere@127.0.0.1:1/x'], home)).rejects.toThrow('another Chorus')
  })
  await expect(chorus(['restore', '--file', file], home)).rejects.toThrow()

  const other = settings('other')
  expect(await chorus(['restore', '--file', file], other)).toMatch(/Restored \d+ rows/)
  await whileServing(other, async (admin) => {
    expect(await teamsOf(admin)).toEqual(['Travellers', ...demoTeams])
    expect((await admin('POST /team', { body: { name: 'Homecomers' } })).status).toBe(200)
  })
  expect(await chorus(['move', '--to', last.url], other)).toMatch(/Moved \d+ rows/)
  // In this process: a separate program would not test the location of the database any better.
  const there = await startTestService({ databaseUrl: last.url, environment: { CHORUS_ROLES: 'api' } })
  expect(await teamsOf(there.admin)).toEqual(['Homecomers', 'Travellers', ...demoTeams])
  await there.stop()
  const left = await ownerQuery(first.url, 'select name from teams where account_id = $1', [account])
  expect(left, 'the source of the move is unchanged').toHaveLength(demoTeams.length)
  for (const { drop } of [first, last]) await drop()
})
