import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Draft } from '../connector/draft.ts'
import { draftOf, errorOf, largeVideo, linkedInSandbox } from './linkedin.fixture.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
})
afterAll(() => linkedIn.close())

const newest = async () => (await linkedIn.posts()).at(-1)

test('a text is displayed as written, and the receipt links to it', async () => {
  const text = 'Robots (10) are #great, says @[Acme](urn:li:organization:2414184) & <me> _now_'
  const receipt = await linkedIn.publish(linkedIn.page, draftOf(text))
  const post = await newest()
  expect(post).toMatchObject({ profile: '2414183', remoteId: receipt.remoteId })
  expect(post.text).toBe('Robots (10) are #great, says Acme & <me> _now_')
  expect(receipt.remoteUrl).toBe(`${linkedIn.linkedInApp.hosts.public}/feed/update/${receipt.remoteId}`)
  expect((await linkedIn.call(receipt.remoteUrl ?? '')).status).toBe(200)
})

test('a link is published with its title, its description and the downloaded image', async () => {
  const imageUrl = linkedIn.media('png').publicUrl
  const link = { url: 'https://acme.example/a', title: 'A', description: 'B', imageUrl }
  await linkedIn.publish(linkedIn.page, draftOf('Link', { link }))
  const post = await newest()
  expect(post).toMatchObject({ link: 'https://acme.example/a', card: { title: 'A', description: 'B' } })
  expect(post.card.image).toMatch(/^urn:li:image:/)
})

test.each([
  ['is not there', (url: string) => `${url.replace(/png$/, 'nothing')}`],
  ['is no picture', (url: string) => url.replace(/png$/, 'pdf')],
  ['is at a forbidden address', () => 'http://10.0.0.1/a.png'],
  ['is no address', () => 'no address'],
])('a link whose image %s is published without an image', async (what, address) => {
  const imageUrl = address(linkedIn.media('png').publicUrl)
  const link = { url: `https://acme.example/${what}`, title: 'A', description: 'B', imageUrl }
  await linkedIn.publish(linkedIn.page, draftOf(what, { link }))
  expect((await newest()).card.image).toBeNull()
})

test('one image, several images, a video and a PDF are uploaded unchanged', async () => {
  const { media, page } = linkedIn
  await linkedIn.publish(page, draftOf('One', { media: [media('png', 'A robot')] }))
  expect((await newest()).media).toMatchObject([{ mime: 'image/png', alt: 'A robot', bytes: media('png').bytes }])
  await linkedIn.publish(page, draftOf('Three', { media: [media('png'), media('jpeg', 'Two'), media('gif')] }))
  expect((await newest()).media).toMatchObject([{ mime: 'image/png' }, { alt: 'Two' }, { mime: 'image/gif' }])
  const video = await linkedIn.publish(page, draftOf('Film', { media: [largeVideo()] }))
  expect(video.remoteId).toMatch(/^urn:li:ugcPost:/)
  expect((await newest()).media).toMatchObject([{ mime: 'video/mp4', bytes: largeVideo().bytes }])
  await linkedIn.publish(page, draftOf('Paper', { media: [media('pdf')] }))
  const paper = await newest()
  expect(paper.media).toMatchObject([{ mime: 'application/pdf' }])
  expect(paper.extra.content.media.title).toBe('sample.pdf')
})

test("members can publish, with a delay if the upload state can't be read", async () => {
  const draft = draftOf('Mine', { media: [linkedIn.media('png')] })
  const first = await linkedIn.connector.publish(linkedIn.member, draft, async () => {})
  expect(first).toMatchObject({ state: 'pending', progress: { stage: 'processing' } })
  const before = (await linkedIn.posts()).length
  await linkedIn.publish(linkedIn.member, draft)
  expect(await newest()).toMatchObject({ profile: 'aDaM4demo1', text: 'Mine' })
  expect((await linkedIn.posts()).length).toBe(before + 1)
})

test('a post is reshared with or without a text', async () => {
  const { remoteId } = await linkedIn.publish(linkedIn.page, draftOf('Share me'))
  await linkedIn.publish(linkedIn.member, draftOf('', { reshareOf: remoteId }))
  expect((await newest()).extra.reshareOf).toBe(remoteId)
  await linkedIn.publish(linkedIn.member, draftOf('Look', { reshareOf: remoteId }))
  expect(await newest()).toMatchObject({ text: 'Look', extra: { reshareOf: remoteId } })
})

test('an audience is sent as LinkedIn’s target entities', async () => {
  await linkedIn.publish(linkedIn.page, draftOf('For few', { audience: { CompanySize: ['2-10'], Language: ['en'] } }))
  expect((await newest()).extra.targetEntities).toEqual([
    { staffCountRanges: ['SIZE_2_TO_10'], interfaceLocales: [{ language: 'en', country: 'US' }] },
  ])
  await linkedIn.publish(linkedIn.page, draftOf('For all', { audience: { Industry: [] } }))
  expect((await newest()).extra.targetEntities).toEqual([])
})

test('an audience that is too small is rejected with LinkedIn’s message', async () => {
  const careers = { ...linkedIn.page, remoteId: '2414184' }
  const audience = { Industry: ['4'], Seniority: ['9'], Function: ['3'] }
  const error = await errorOf(linkedIn.publish(careers, draftOf('For nobody', { audience })))
  expect(error.fault).toMatchObject({ kind: 'permanent', why: 'input', field: '/distribution/targetEntities' })
  expect(error.message).toContain('at least 300')
})

const link = { url: 'https://acme.example/', title: 'A', description: 'B', imageUrl: '' }

test.each<[string, (media: typeof linkedIn.media) => Partial<Draft>, string]>([
  ['nothing', () => ({ text: ' ' }), 'needs a text'],
  ['a text of 3,001 characters', () => ({ text: 'x'.repeat(3_001) }), '3000 is the most'],
  [
    'ten images',
    (media) => ({ media: Array.from({ length: 10 }, () => media('png')) }),
    '10 images; LinkedIn takes 9 at most',
  ],
  ['a video beside an image', (media) => ({ media: [media('png'), media('mp4')] }), 'takes one kind in a post'],
  ['a link beside an image', (media) => ({ media: [media('png')], link }), 'it takes one of the two'],
  ['a file of another kind', (media) => ({ media: [{ ...media('png'), mime: 'image/webp' }] }), 'image/webp'],
  ['an image of 6 MB', (media) => ({ media: [{ ...media('png'), bytes: 6_000_000 }] }), 'takes 5 MB at most'],
  [
    'a video of two seconds',
    (media) => ({ media: [{ ...media('mp4'), durationMs: 2_000 }] }),
    'lasts 2 s; the minimum is 3 s',
  ],
  ['an image with a shared post', (media) => ({ reshareOf: 'urn:li:share:1', media: [media('png')] }), 'shared post'],
  ['an unknown audience', () => ({ audience: { Industry: ['Robots'] } }), '“Robots”'],
])('%s is rejected before any request', async (_, make, words) => {
  const invalidActor = { ...linkedIn.page, secret: { accessToken: 'unknown', scopes: [] } }
  const error = await errorOf(linkedIn.publish(invalidActor, draftOf('Text', make(linkedIn.media))))
  expect(error.fault).toMatchObject({ kind: 'permanent' })
  expect(error.message).toContain(words)
})

test('members cannot choose an audience', async () => {
  const error = await errorOf(linkedIn.publish(linkedIn.member, draftOf('A', { audience: { Industry: ['4'] } })))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'unsupported' })
})
