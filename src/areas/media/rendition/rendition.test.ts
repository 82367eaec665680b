import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitingForLocks } from '../../../../tests/support/database/nodes.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { fetched, installationOf, rowsOf, startStudio, withFiles } from './rendition.fixture.ts'

let studio: Awaited<ReturnType<typeof startStudio>>
beforeAll(async () => {
  studio = await startStudio()
})
afterAll(() => studio.stop())

test('ten concurrent requests get one JPEG, in one process and in several', async () => {
  const { id } = await studio.newPng()
  const urls = await Promise.all(
    [...studio.installations, ...studio.installations].map((installation) => studio.jpegUrl(id, installation)),
  )
  expect(new Set(urls).size).toBe(1)
  expect(await rowsOf(studio.service, id)).toMatchObject([{ uses: 1 }])
  expect((await fetched(urls[0] ?? '')).status).toBe(200)
})

test('in one process the image is opened once for all', async () => {
  const { id } = await studio.newPng()
  let opened = 0
  const own = installationOf(studio.service)
  const { inspector } = own.files
  const toJpeg: typeof inspector.toJpeg = (...order) => {
    opened += 1
    return inspector.toJpeg(...order)
  }
  const counting = withFiles(own, { inspector: { ...inspector, toJpeg } })
  await Promise.all(Array.from({ length: 10 }, () => studio.jpegUrl(id, counting)))
  await studio.jpegUrl(id, counting)
  expect(opened).toBe(1)
  await own.database.close()
})

test('deleting the asset deletes its JPEG, unless another asset has the same', async () => {
  const { id, again } = await studio.newPng()
  const duplicate = await again()
  const [url, other] = [await studio.jpegUrl(id), await studio.jpegUrl(duplicate)]
  const [{ digest, uses } = { digest: '', uses: 0 }] = await rowsOf(studio.service, id)
  expect([uses, url === other]).toEqual([2, false])
  expect(await studio.remove(id)).toBe(200)
  expect([await rowsOf(studio.service, id), (await fetched(url)).status]).toEqual([[], 404])
  expect([await studio.counted(digest), (await fetched(other)).status]).toEqual([[{ uses: 1 }], 200])
  expect(await studio.remove(duplicate)).toBe(200)
  await expect.poll(() => studio.counted(digest)).toEqual([])
  expect([await studio.sizeOf(digest), (await fetched(other)).status]).toEqual([undefined, 404])
})

test('an asset deleted before its JPEG is done is gone', async () => {
  const { id } = await studio.newPng()
  const { installation } = studio
  const { inspector } = installation.files
  const toJpeg: typeof inspector.toJpeg = async (...order) => {
    const jpeg = await inspector.toJpeg(...order)
    expect(await studio.remove(id)).toBe(200)
    return jpeg
  }
  const slow = withFiles(installation, { inspector: { ...inspector, toJpeg } })
  await expect(studio.jpegUrl(id, slow)).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining(id),
  })
})

test('deleting an asset waits for the JPEG being recorded and deletes it too', async () => {
  const { id } = await studio.newPng()
  const { installation, service } = studio
  const { store } = installation.files
  const waiting = async (count: number) => expect.poll(() => waitingForLocks(service.databaseUrl)).toBe(count)
  let removal = Promise.resolve(0)
  const adopt: typeof store.adopt = async (key, path) => {
    const adopted = await store.adopt?.(key, path)
    const lock = new pg.Client({ connectionString: service.databaseUrl })
    await lock.connect()
    await lock.query('begin; lock table file_reservations in share mode')
    // The writer of the JPEG holds the asset and waits for the lock; the deletion waits for the writer.
    const unlock = async () => {
      await waiting(1)
      removal = studio.remove(id)
      await waiting(2)
      await lock.end()
    }
    unlocked = unlock()
    return adopted ?? false
  }
  let unlocked = Promise.resolve()
  await studio.jpegUrl(id, withFiles(installation, { store: { ...store, adopt } }))
  await unlocked
  expect([await removal, await rowsOf(service, id)]).toEqual([200, []])
})

test('no copy of an image stays on the machine, also after failures', async () => {
  const { id } = await studio.newPng()
  const { installation } = studio
  const spooled: string[] = []
  const { spool } = installation.files
  const append: typeof spool.append = (name, ...rest) => {
    spooled.push(name)
    return spool.append(name, ...rest)
  }
  const own = installationOf(studio.service)
  const watched = withFiles(own, { spool: { ...spool, append } })
  const toJpeg = () => Promise.reject(new Error('No memory.'))
  const failing = withFiles(watched, { inspector: { ...own.files.inspector, toJpeg } })
  await expect(studio.jpegUrl(id, failing)).rejects.toThrow('No memory.')
  await studio.jpegUrl(id, watched)
  expect(spooled).toHaveLength(3)
  const left = await spool.stale(new Date(Date.now() + 60_000))
  expect(spooled.filter((name) => left.includes(name))).toEqual([])
  await own.database.close()
})

/** Crashes after the file is stored; returns its digest. */
async function crash(id: string): Promise<string> {
  const { installation } = studio
  const { store } = installation.files
  let digest = ''
  const adopt: typeof store.adopt = async (key, path) => {
    await store.adopt?.(key, path)
    digest = key.split('/')[1] ?? ''
    throw new Error('The process was killed.')
  }
  await expect(studio.jpegUrl(id, withFiles(installation, { store: { ...store, adopt } }))).rejects.toThrow('killed')
  return digest
}
async function dayPasses(digest: string) {
  const { databaseUrl } = studio.service
  await ownerQuery(databaseUrl, `update file_reservations set created = now() - interval '1 day' where digest = $1`, [
    digest,
  ])
  await ownerQuery(databaseUrl, `update job_schedule set next = now() where name = 'media.release-holds'`)
}

test('leftovers of a crash are removed from the store after a day', async () => {
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
  expect((await fetched(await studio.jpegUrl(id))).status).toBe(200)
})

test('while equal content is being removed the caller gets a temporary error', async () => {
  const { id } = await studio.newPng()
  const digest = await crash(id)
  const set = (removing: boolean) =>
    ownerQuery(studio.service.databaseUrl, 'update stored_files set removing = $2 where digest = $1', [
      digest,
      removing,
    ])
  await set(true)
  await expect(studio.jpegUrl(id)).rejects.toMatchObject({ kind: 'unavailable', retryAfter: 5 })
  await set(false)
  expect((await fetched(await studio.jpegUrl(id))).status).toBe(200)
})

test('cleaning up after a crash keeps used content', async () => {
  const { id } = await studio.newPng()
  const digest = await crash(id)
  const url = await studio.jpegUrl(id)
  expect(await studio.counted(digest)).toEqual([{ uses: 2 }])
  await dayPasses(digest)
  await expect.poll(() => studio.counted(digest)).toEqual([{ uses: 1 }])
  expect((await fetched(url)).status).toBe(200)
})
