import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { fetched, rowsOf, startStudio, withFiles } from './rendition.fixture.ts'

let studio: Awaited<ReturnType<typeof startStudio>>
beforeAll(async () => {
  studio = await startStudio()
})
afterAll(() => studio.stop())

/** Dies when the file lies in the store and nothing came of it yet; gives its digest. */
async function crash(id: string): Promise<string> {
  const { world } = studio
  const { store } = world.files
  let digest = ''
  const adopt: typeof store.adopt = async (key, path) => {
    await store.adopt?.(key, path)
    digest = key.split('/')[1] ?? ''
    throw new Error('The process was killed.')
  }
  await expect(studio.ask(id, withFiles(world, { store: { ...store, adopt } }))).rejects.toThrow('killed')
  return digest
}
async function dayPasses(digest: string) {
  const { databaseUrl } = studio.service
  await ownerQuery(databaseUrl, `update file_holds set created = now() - interval '1 day' where digest = $1`, [digest])
  await ownerQuery(databaseUrl, `update job_schedule set next = now() where name = 'media.release-holds'`)
}

test('what a crash leaves in the store is removed after a day', async () => {
  const { id } = await studio.newPng()
  const digest = await crash(id)
  expect([await rowsOf(studio.service, id), await studio.counted(digest), await studio.sizeOf(digest)]).toEqual([
    [],
    [{ uses: 1 }],
    expect.any(Number),
  ])
  await dayPasses(digest)
  await expect.poll(() => studio.counted(digest)).toEqual([])
  expect(await studio.sizeOf(digest)).toBeUndefined()
  expect((await fetched(await studio.ask(id))).status).toBe(200)
})

test('while the same content is being removed the caller is told to come again', async () => {
  const { id } = await studio.newPng()
  const digest = await crash(id)
  const set = (removing: boolean) =>
    ownerQuery(studio.service.databaseUrl, 'update stored_files set removing = $2 where digest = $1', [
      digest,
      removing,
    ])
  await set(true)
  await expect(studio.ask(id)).rejects.toMatchObject({ kind: 'unavailable', retryAfter: 5 })
  await set(false)
  expect((await fetched(await studio.ask(id))).status).toBe(200)
})

test('what is given up after a crash leaves alone what is used', async () => {
  const { id } = await studio.newPng()
  const digest = await crash(id)
  const url = await studio.ask(id)
  expect(await studio.counted(digest)).toEqual([{ uses: 2 }])
  await dayPasses(digest)
  await expect.poll(() => studio.counted(digest)).toEqual([{ uses: 1 }])
  expect((await fetched(url)).status).toBe(200)
})
