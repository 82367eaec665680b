import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Installation } from '#kernel/installation.ts'
import { animation } from '#kernel/media-inspector/fixtures/images.fixture.ts'
import type { Limits } from '#networks/content/content.ts'
import { manifestOf } from '#networks/manifests.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { demoAccount, otherAccount, startTestService, type TestService } from '../../../../tests/support/service.ts'
import { serveFiles } from '../media.fixture.ts'
import { mediaRefs } from './media-refs.ts'
import { bytesOf, fetched, freshPicture, installationOf, rowsOf } from './rendition.fixture.ts'

let service: TestService
let installation: Installation
let web: Awaited<ReturnType<typeof serveFiles>>
let files: { [name: string]: Buffer }
beforeAll(async () => {
  files = {
    'photo.jpg': await freshPicture('jpeg'),
    'logo.png': await freshPicture('png'),
    'still.gif': await freshPicture('gif'),
    'dance.gif': animation(randomInt(1000, 2000), 30, 3),
  }
  web = await serveFiles(files)
  service = await startTestService({ environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.0/8', CHORUS_ROLES: 'api' } })
  installation = installationOf(service)
})
afterAll(async () => {
  await installation.database.close()
  await service.stop()
  await web.close()
})

const [dawn, logo, film, guide] = ['026demo00000001', '026demo00000004', '026demo00000005', '026demo00000006']
const [facebookLimits, instagramLimits] = [manifestOf('Facebook').limits, manifestOf('Instagram').limits]
const refs = (ids: string[], limits: Limits = instagramLimits) => mediaRefs(installation, demoAccount, ids, limits)
const ref = async (id: string, limits?: Limits) => {
  const [only] = await refs([id], limits)
  if (!only) throw new Error('There is none.')
  return only
}
const add = async (name: string): Promise<string> =>
  (await service.admin('POST /media', { body: { resource: `${web.url}/${name}` } })).json.Media.Id

test('Instagram gets a PNG as a JPEG, the same by URL and by bytes', async () => {
  const jpeg = await ref(logo)
  expect(jpeg).toMatchObject({ id: logo, mime: 'image/jpeg', name: 'northwind-logo.jpg', width: 512, height: 512 })
  const { status, headers, bytes } = await fetched(jpeg.publicUrl)
  expect([status, bytes.length, bytes.subarray(0, 3).toString('hex')]).toEqual([200, jpeg.bytes, 'ffd8ff'])
  expect(bytes.equals(await bytesOf(jpeg))).toBe(true)
  expect(headers.get('content-type')).toBe('image/jpeg')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-disposition')).toBe(`inline; filename*=UTF-8''northwind-logo.jpg`)
  expect((await bytesOf(jpeg, 100, 1100)).equals(bytes.subarray(100, 1100))).toBe(true)
  expect((await bytesOf(jpeg, bytes.length - 5)).equals(bytes.subarray(-5))).toBe(true)
  expect(await ref(logo)).toEqual({ ...jpeg, open: expect.any(Function) })
  expect(await rowsOf(service, logo)).toMatchObject([{ size: jpeg.bytes, uses: 1 }])
})

test('the URL of a JPEG is unique to its account', async () => {
  const { publicUrl } = await ref(logo)
  const { Resource } = (await service.admin(`GET /media/${logo}`)).json.Media
  expect((await fetched(Resource)).headers.get('content-type')).toBe('image/png')
  const wrong = [
    publicUrl.replace(logo, dawn),
    publicUrl.replace(demoAccount, otherAccount),
    publicUrl.replace(/\/[^/]+\/([^/]+)$/, '/x/$1'),
    publicUrl.replace(/(.)\/([^/]+)$/, (_, last, name) => `${last === 'A' ? 'B' : 'A'}/${name}`),
  ]
  for (const url of wrong) expect((await fetched(url)).status, url).toBe(404)
})

test('supported files are sent unchanged, in the order of the post', async () => {
  const ids = [film, logo, dawn, guide, logo]
  const taken = await refs(ids, facebookLimits)
  expect(taken.map(({ id }) => id)).toEqual(ids)
  expect(taken.map(({ mime }) => mime)).toEqual([
    'video/mp4',
    'image/png',
    'image/jpeg',
    'application/pdf',
    'image/png',
  ])
  expect(taken[0]).toMatchObject({ name: 'range-in-motion.mp4', width: 960, height: 540, durationMs: 6000 })
  for (const { id, publicUrl, bytes } of taken) {
    const { json } = await service.admin(`GET /media/${id}`)
    expect([publicUrl, bytes]).toEqual([json.Media.Resource, json.Media.Size])
  }
  const [video] = taken
  const whole = await fetched(video?.publicUrl ?? '')
  expect(video && (await bytesOf(video, 10, 5000)).equals(whole.bytes.subarray(10, 5000))).toBe(true)
  expect((await refs([guide, film])).map(({ mime }) => mime)).toEqual(['application/pdf', 'video/mp4'])
  expect(await refs([])).toEqual([])
})

test('a large image is scaled below the network’s limit, keeping its aspect ratio', async () => {
  const maxBytes = Math.floor((await ref(dawn)).bytes / 3)
  const limits = { ...instagramLimits, images: { max: 1, rule: { mimes: ['image/jpeg'], maxBytes } } }
  const { bytes, width = 0, height = 1, publicUrl } = await ref(dawn, limits)
  expect(bytes).toBeLessThanOrEqual(maxBytes)
  expect(width).toBeLessThanOrEqual(1200)
  expect(width / height).toBeCloseTo(1200 / 675, 1)
  expect((await fetched(publicUrl)).bytes.length).toBe(bytes)
  const narrow = { ...limits, images: { max: 1, rule: { ...limits.images.rule, maxPixels: 10_000 } } }
  const small = await ref(dawn, narrow)
  expect((small.width ?? 0) * (small.height ?? 0)).toBeLessThanOrEqual(10_000)
  expect(await rowsOf(service, dawn)).toHaveLength(2)
  expect((await ref(dawn, limits)).publicUrl).toBe(publicUrl)
})

test('an image that cannot be made small enough is rejected with a message', async () => {
  const images = { max: 1, rule: { mimes: ['image/jpeg'], maxBytes: 10 } }
  await expect(ref(dawn, { ...instagramLimits, images })).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringMatching(/^"mountain-dawn.jpg" cannot be made into a JPEG .* at most 10 bytes\.$/),
  })
})

test('images added by URL are served by us, and animated ones are left to the network', async () => {
  const photo = await ref(await add('photo.jpg'))
  expect(photo.publicUrl).toMatch(new RegExp(`^${service.url}/media/`))
  expect((await fetched(photo.publicUrl)).bytes.equals(files['photo.jpg'] as Buffer)).toBe(true)
  const [png, still, dance] = await refs([await add('logo.png'), await add('still.gif'), await add('dance.gif')])
  expect(png).toMatchObject({ mime: 'image/jpeg', name: 'logo.jpg', width: 60, height: 40 })
  expect(still).toMatchObject({ mime: 'image/jpeg', name: 'still.jpg' })
  expect(dance).toMatchObject({ mime: 'image/gif', name: 'dance.gif', bytes: files['dance.gif']?.length })
})

test('the description is included, up to the network’s limit', async () => {
  const describe = (text: string) =>
    ownerQuery(service.databaseUrl, 'update media set description = $1 where id = $2', [text, logo])
  expect((await ref(logo)).alt).toBeUndefined()
  await describe(`${'a'.repeat(9)}😀 and more`)
  expect((await ref(logo)).alt).toBe('aaaaaaaaa😀 and more')
  expect((await ref(logo, { ...instagramLimits, altText: 10 })).alt).toBe('aaaaaaaaa')
  expect((await ref(logo, { ...instagramLimits, altText: 11 })).alt).toBe('aaaaaaaaa😀')
  await describe('')
})

test('a missing asset is named, and so is another account’s', async () => {
  const nothing = '026nothing00000'
  const refusal = { kind: 'conflict', message: expect.stringContaining(nothing) }
  await expect(refs([logo, nothing])).rejects.toMatchObject(refusal)
  await expect(mediaRefs(installation, otherAccount, [logo], instagramLimits)).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining(logo),
  })
})
