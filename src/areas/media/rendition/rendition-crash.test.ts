import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '#kernel/database/owner.ts'
import { demoAccount } from '../../../../tests/support/service.ts'
import { keyOf } from '../storing/stored-file.ts'
import { fetched, rowsOf, startStudio, withFiles } from './rendition.fixture.ts'

let studio: Awaited<ReturnType<typeof startStudio>>
beforeAll(async () => {
  studio = await startStudio()
})
afterAll(() => studio.stop())

/** The worker looks every second, on a busy machine later. */

/** Dies when the file lies in the store and nothing counts it yet; gives its digest. */
async function crash(id: string): Promise<string> {
  const { world } = studio
  const { store } = world.files
  let digest = ''
  const size: typeof store.size = (key) => {
    digest = key.split('/')[1] ?? ''
    return Promise.reject(new Error('The process was killed.'))
  }
  await expect(studio.ask(id, withFiles(world, { store: { ...store, size } }))).rejects.toThrow('killed')
  return digest
}
const hourPasses = (digest: string) =>
  ownerQuery(studio.service.databaseUrl, 'update jobs set due = now() where key = $1', [keyOf(demoAccount, digest)])

test('what a crash leaves in the store is removed within the hour', async () => {
  const { id } = await studio.newPng()
  const digest = await crash(id)
  expect([await rowsOf(studio.service, id), await studio.counted(digest), await studio.sizeOf(digest)]).toEqual([
    [],
    [{ uses: 0 }],
    expect.any(Number),
  ])
  await hourPasses(digest)
  await expect.poll(() => studio.counted(digest)).toEqual([])
  expect(await studio.sizeOf(digest)).toBeUndefined()
  expect((await fetched(await studio.ask(id))).status).toBe(200)
})

test('while the same content is being removed the caller is told to come again', async () => {
  const { id } = await studio.newPng()
  const digest = await crash(id)
  await ownerQuery(studio.service.databaseUrl, 'update stored_files set removing = true where digest = $1', [digest])
  await expect(studio.ask(id)).rejects.toMatchObject({ kind: 'unavailable', retryAfter: 5 })
  await hourPasses(digest)
  await expect.poll(() => studio.counted(digest)).toEqual([])
  expect((await fetched(await studio.ask(id))).status).toBe(200)
})

test('the removal that was planned in case of a crash leaves alone what is used', async () => {
  const { id } = await studio.newPng()
  const url = await studio.ask(id)
  const [{ digest } = { digest: '' }] = await rowsOf(studio.service, id)
  const waiting = () =>
    ownerQuery(studio.service.databaseUrl, 'select id from jobs where key = $1', [keyOf(demoAccount, digest)])
  expect(await waiting()).toHaveLength(1)
  await hourPasses(digest)
  await expect.poll(waiting).toEqual([])
  expect([await studio.counted(digest), (await fetched(url)).status]).toEqual([[{ uses: 1 }], 200])
})
