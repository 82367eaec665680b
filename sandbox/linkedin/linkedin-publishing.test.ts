import { expect, test } from 'vitest'
import { samples, simulatedUser } from '../sandbox.fixture.ts'
import { author, day, draft, page, startLinkedInSandbox, token } from './linkedin.fixture.ts'

const linkedIn = startLinkedInSandbox()
const { rest, post } = linkedIn

test('text is unescaped, and the id is returned in a header with an empty body', async () => {
  const made = await rest(
    '/rest/posts',
    draft('Ten \\(10\\) \\#things for @[Acme](urn:li:organization:1) {hashtag|\\#|work} (cut'),
  )
  expect(made.status).toBe(201)
  expect(made.body).toBe('')
  expect(made.headers.get('x-restli-id')).toMatch(/^urn:li:share:\d{19}$/)
  expect((await linkedIn.sandbox.ledger('network=LinkedIn'))[0].text).toBe('Ten (10) #things for Acme #work ')
  const listed = await rest(`/rest/posts?q=author&author=${encodeURIComponent(author)}`)
  expect(listed.body.elements[0].id).toBe(made.headers.get('x-restli-id'))
})

test('duplicate content is rejected with the id of the original, even if it was deleted', async () => {
  const first = await post('Again')
  await rest(`/rest/posts/${encodeURIComponent(first)}`, undefined, 'DELETE')
  const again = await rest('/rest/posts', draft('Again'))
  expect(again.status).toBe(422)
  expect(again.body.errorDetails.inputErrors[0].code).toBe('DUPLICATE_POST')
  expect(again.body.message).toContain(first)
  const removed = await rest(`/rest/posts/${encodeURIComponent(first)}`, undefined, 'DELETE')
  expect(removed.status).toBe(204)
})

async function upload(kind: 'image' | 'document', bytes: Buffer): Promise<string> {
  const opened = await rest(`/rest/${kind}s?action=initializeUpload`, { initializeUploadRequest: { owner: author } })
  const { uploadUrl } = opened.body.value
  expect((await linkedIn.sandbox.call(uploadUrl, { method: 'PUT', token, bytes })).status).toBe(201)
  return opened.body.value[kind]
}

test('accepts one image, several images, a link with its image, and a PDF', async () => {
  const image = await upload('image', samples.png)
  const second = await upload('image', samples.jpeg)
  const pdf = await upload('document', samples.pdf)
  await post('One', { content: { media: { id: image, altText: 'A robot' } } })
  await post('Two', { content: { multiImage: { images: [{ id: image }, { id: second }] } } })
  await post('Paper', { content: { media: { id: pdf, title: 'Paper.pdf' } } })
  const article = { source: 'https://acme.example/a', title: 'A', description: 'B', thumbnail: image }
  await post('Link', { content: { article } })
  const entries = (await linkedIn.sandbox.ledger(`profile=${page}&kind=post`)).slice(-4)
  const kinds = entries.map(({ media }: { media: { mime: string }[] }) => media.map(({ mime }) => mime).join())
  expect(kinds).toEqual(['image/png', 'image/png,image/jpeg', 'application/pdf', ''])
  expect(entries[0].media[0].alt).toBe('A robot')
  expect(entries[3].link).toBe('https://acme.example/a')
  expect(entries[3].card).toEqual({ title: 'A', description: 'B', image })
})

test('a video is uploaded in parts and can be posted after processing', async () => {
  const bytes = Buffer.concat([samples.mp4, Buffer.alloc(5_000_000)])
  const request = { owner: author, fileSizeBytes: bytes.length, uploadCaptions: false, uploadThumbnail: false }
  const { video, uploadToken, uploadInstructions } = (
    await rest('/rest/videos?action=initializeUpload', { initializeUploadRequest: request })
  ).body.value
  expect(uploadInstructions.length).toBe(2)
  const uploadedPartIds: string[] = []
  for (const { uploadUrl, firstByte, lastByte } of uploadInstructions) {
    const part = await linkedIn.sandbox.call(uploadUrl, {
      method: 'PUT',
      bytes: bytes.subarray(firstByte, lastByte + 1),
    })
    uploadedPartIds.push(part.headers.get('etag') ?? '')
  }
  const finalizeUploadRequest = { video, uploadToken, uploadedPartIds }
  expect((await rest('/rest/videos?action=finalizeUpload', { finalizeUploadRequest })).status).toBe(200)
  const early = await rest('/rest/posts', draft('Film', { content: { media: { id: video } } }))
  expect(early.body.errorDetails.inputErrors[0].code).toBe('MEDIA_ASSET_PROCESSING')
  expect((await rest(`/rest/videos/${encodeURIComponent(video)}`)).body.status).toBe('PROCESSING')
  await linkedIn.sandbox.advance(2000)
  expect((await rest(`/rest/videos/${encodeURIComponent(video)}`)).body.status).toBe('AVAILABLE')
  expect(await post('Film', { content: { media: { id: video } } })).toMatch(/^urn:li:ugcPost:/)
})

test('comments have two levels, with reactions, counts and notifications', async () => {
  const urn = await post('Talk')
  const at = (target: string) => `/rest/socialActions/${encodeURIComponent(target)}/comments`
  const first = await rest(at(urn), { actor: author, object: urn, message: { text: 'First' } })
  expect(first.status).toBe(201)
  const activity = { network: 'LinkedIn', profile: author, from: simulatedUser, postRemoteId: urn }
  const { remoteId } = await linkedIn.sandbox.inject({ ...activity, kind: 'comment', text: 'Interesting' })
  expect(remoteId).toMatch(/^urn:li:comment:\(urn:li:activity:\d+,\d+\)$/)
  const reply = await rest(at(remoteId), {
    actor: author,
    object: urn,
    parentComment: remoteId,
    message: { text: 'Thanks' },
  })
  const nestedReply = await rest(at(reply.body.commentUrn), {
    actor: author,
    object: urn,
    parentComment: remoteId,
    message: { text: 'x' },
  })
  expect(nestedReply.status).toBe(400)
  const liked = await rest(`/rest/reactions?actor=${encodeURIComponent(author)}`, {
    root: remoteId,
    reactionType: 'LIKE',
  })
  expect(liked.status).toBe(201)
  const read = await rest(at(urn))
  expect(read.body.elements.map((row: { message: { text: string } }) => row.message.text)).toEqual([
    'First',
    'Interesting',
  ])
  expect((await rest(at(remoteId))).body.elements[0].parentComment).toBe(remoteId)
  const metadata = await rest(`/rest/socialMetadata/${encodeURIComponent(urn)}`)
  expect(metadata.body.commentSummary).toEqual({ count: 3, topLevelCount: 2 })
  await linkedIn.sandbox.inject({ ...activity, postRemoteId: undefined, kind: 'mention', text: 'See Acme' })
  const path = `/rest/organizationalEntityNotifications?q=criteria&actions=List(COMMENT,SHARE_MENTION)&organizationalEntity=${encodeURIComponent(author)}`
  const actions = (await rest(path)).body.elements.map(({ action }: { action: string }) => action)
  expect(actions).toEqual(['SHARE_MENTION', 'COMMENT'])
  const comments = await linkedIn.sandbox.ledger('network=LinkedIn&kind=comment')
  expect(comments.map(({ parentId }: { parentId: string }) => parentId)).toEqual([urn, remoteId])
  expect((await rest(`/rest/people/(id:${simulatedUser.id})`)).body.localizedFirstName).toBe('Robin')
})

test('metrics grow, and days add up to the total', async () => {
  const urn = await post('Numbers')
  const base = `/rest/organizationalEntityShareStatistics?q=organizationalEntity&organizationalEntity=${encodeURIComponent(author)}`
  const total = async () =>
    (await rest(`${base}&shares=List(${encodeURIComponent(urn)})`)).body.elements[0].totalShareStatistics
  const before = await total()
  await linkedIn.sandbox.advance(3 * day)
  expect((await total()).impressionCount).toBeGreaterThan(before.impressionCount)
  const now = (await linkedIn.sandbox.control('/clock')).body.now
  const days = await rest(
    `${base}&timeIntervals=(timeRange:(start:${now - 4 * day},end:${now}),timeGranularityType:DAY)`,
  )
  const all = (await rest(base)).body.elements[0].totalShareStatistics.impressionCount
  const counts = days.body.elements.map(
    (row: { totalShareStatistics: { impressionCount: number } }) => row.totalShareStatistics.impressionCount,
  )
  expect(counts.reduce((left: number, right: number) => left + right)).toBe(all)
  const followers = await rest(`/rest/networkSizes/${encodeURIComponent(author)}?edgeType=COMPANY_FOLLOWED_BY_MEMBER`)
  expect(followers.body.firstDegreeSize).toBeGreaterThan(23_000)
})
