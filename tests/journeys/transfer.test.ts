import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { caller } from '../support/caller.ts'
import { chorusHere } from '../support/command-line.ts'
import { freshDatabase } from '../support/database/database.ts'
import { runProgram } from '../support/program.ts'
import { startTestService } from '../support/service.ts'
import { journeyFolder } from './journey.ts'

const folder = journeyFolder()

const account = '001demo00000001'
const key = 'transfer-key-1'
const settings = (name: string, more: Record<string, string> = {}) => ({
  CHORUS_DATA_DIR: join(folder.path, name),
  CHORUS_PORT: '0',
  ...more,
})

/** In this process, which is one more on the same machine; what the program makes of words is judged by other journeys. */
const chorus = chorusHere

/** Starts the service, does something with it, stops it. */
async function serving(environment: Record<string, string>, work: (admin: ReturnType<typeof caller>) => Promise<void>) {
  const program = runProgram('start', [], environment)
  const url = await program.printed(/Base URL +(http:\S+)\/v2/)
  await work(caller(url, account, key))
  program.child.kill('SIGTERM')
  await program.ended
}

test('an installation is backed up while it runs, restored elsewhere, moved to a server and back', async () => {
  const file = join(folder.path, 'backup.chorus')
  const home = settings('home')
  await serving({ ...home, CHORUS_DEMO_API_KEY: key }, async (admin) => {
    await admin('POST /team', { body: { name: 'Travellers' } })
    const backup = runProgram('chorus', ['backup', '--file', file], home)
    expect(await backup.ended, backup.output()).toBe(0)
    expect(backup.output()).toMatch(/Backed up \d+ rows/)
    await expect(chorus(['move', '--to', 'postgres://nowhere@127.0.0.1:1/x'], home)).rejects.toThrow('another Chorus')
  })
  await expect(chorus(['restore', '--file', file], home)).rejects.toThrow()

  const other = settings('other')
  expect(await chorus(['restore', '--file', file], other)).toMatch(/Restored \d+ rows/)
  await serving({ ...other, CHORUS_DEMO: '0' }, async (admin) => {
    const { json } = await admin('GET /team')
    expect(json.Items[0].Name).toBe('Travellers')
  })

  const server = await freshDatabase()
  expect(await chorus(['move', '--to', server.url], other)).toMatch(/Moved \d+ rows/)
  // In this process: where the database lies is nothing that a program of its own would show better.
  const there = await startTestService({ databaseUrl: server.url, environment: { CHORUS_ROLES: 'api' } })
  const { status } = await caller(there.url, account, key)('POST /team', { body: { name: 'Homecomers' } })
  expect(status).toBe(200)
  await there.stop()
  const back = settings('back')
  expect(await chorus(['move', '--from', server.url], back)).toMatch(/Moved \d+ rows/)
  await serving({ ...back, CHORUS_DEMO: '0' }, async (admin) => {
    const { json } = await admin('GET /team')
    expect(json.Items.slice(0, 2).map((team: { Name: string }) => team.Name)).toEqual(['Homecomers', 'Travellers'])
  })
  const [{ count }] = (await ownerQuery<{ count: number }>(server.url, 'select count(*)::int as count from teams')) as [
    { count: number },
  ]
  expect(count).toBe(5)
  await server.drop()
})
