import { type Actor, badInput, NetworkError, profileRules } from '../connector/connector.ts'
import type { Audience, Checkpoint, Draft, Found, Progress, Receipt, Step } from '../connector/draft.ts'
import { rejectInvalidPost } from '../content/draft-check.ts'
import type { Json } from '../http/json.ts'
import { ifAllowed, type LinkedInClient, type Listed, notReadyCodes, request, requestList } from './client.ts'
import { at, encoded, listAt, numberAt, postUrl, textAt, textsAt, urnOf } from './fields.ts'
import { commentaryOf, displayedText, readable } from './little-text.ts'
import { manifest } from './manifest.ts'
import { readAudience, type TargetEntity } from './targeting.ts'
import {
  kindOf,
  mayRead,
  stillProcessing,
  streamed,
  unfinished,
  uploadFile,
  uploadThumbnail,
  uploadVideo,
} from './uploads.ts'

export async function publish(
  client: LinkedInClient,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  rejectInvalidPost('LinkedIn', draft, profileRules(manifest, client.app, actor))
  const assets = await upload(client, actor, draft, save, progress)
  const waiting = await unfinished(client, actor, assets, progress)
  if (waiting) return waiting
  await save({ stage: 'committing', assets })
  try {
    return { state: 'done', ...(await commit(client, actor, draft, assets)) }
  } catch (error) {
    const early = error instanceof NetworkError && notReadyCodes.includes(error.remote.code ?? '')
    if (early) return stillProcessing(assets, progress?.waited === true)
    throw error
  }
}

/** URNs of all assets, in the draft's order. */
async function upload(
  client: LinkedInClient,
  actor: Actor,
  { media, link }: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<string[]> {
  const assets = textsAt(progress, 'assets')
  if (progress?.stage === 'processing') return assets
  if (link?.imageUrl && !assets.length && progress?.withoutPicture !== true) {
    const picture = await uploadThumbnail(client, actor, link.imageUrl)
    if (picture) assets.push(picture)
    await save({ stage: 'uploading', assets, ...(!picture && { withoutPicture: true }) })
  }
  for (const one of media.slice(assets.length)) {
    const kind = kindOf(one)
    const urn =
      kind === 'video'
        ? await uploadVideo(client, actor, one, (video) => save({ stage: 'uploading', assets, video }), progress?.video)
        : await uploadFile(client, actor, kind, streamed(one))
    assets.push(urn)
    await save({ stage: 'uploading', assets: [...assets] })
  }
  return assets
}

/** The one request that makes the post visible. */
async function commit(client: LinkedInClient, actor: Actor, draft: Draft, assets: readonly string[]): Promise<Receipt> {
  const { text, audience, reshareOf } = draft
  const target = audience && targetOf(audience)
  const content = contentOf(draft, assets)
  const { headers } = await request(client, actor, {
    method: 'POST',
    path: '/rest/posts',
    irreversible: true,
    json: {
      author: urnOf(actor),
      commentary: commentaryOf(text),
      visibility: 'PUBLIC',
      distribution: {
        feedDistribution: 'MAIN_FEED',
        targetEntities: target ? [target] : [],
        thirdPartyDistributionChannels: [],
      },
      lifecycleState: 'PUBLISHED',
      isReshareDisabledByAuthor: false,
      ...(content && { content }),
      ...(reshareOf !== undefined && { reshareContext: { parent: reshareOf } }),
    },
  })
  const remoteId = headers['x-restli-id']?.replaceAll('%3A', ':')
  if (!remoteId) {
    throw new NetworkError('LinkedIn', { kind: 'unknownOutcome' }, 'LinkedIn: the answer does not name the new post.')
  }
  return { remoteId, remoteUrl: postUrl(client.app, remoteId), at: client.installation.clock.now() }
}

/** The audience as a target entity; undefined if it excludes no one. */
export function targetOf(audience: Audience): TargetEntity | undefined {
  const { target, problem } = readAudience(audience)
  if (problem) throw badInput('LinkedIn', problem.sentence, problem.field)
  return target
}

/** The `content` field of a post, from its uploaded assets in the draft's order. */
function contentOf({ media, link, title }: Draft, assets: readonly string[]): object | undefined {
  if (link) {
    const { url: source, title, description } = link
    return { article: { source, title, description, ...(assets[0] && { thumbnail: assets[0] }) } }
  }
  const [first] = media
  if (!first) return undefined
  if (media.length > 1) {
    return {
      multiImage: { images: media.map(({ alt }, index) => ({ id: assets[index], ...(alt && { altText: alt }) })) },
    }
  }
  const kind = kindOf(first)
  const named = kind === 'document' ? (first.name ?? title ?? 'Document') : kind === 'video' ? title : undefined
  return {
    media: {
      id: assets[0],
      ...(named && { title: named.slice(0, manifest.limits.title?.max) }),
      ...(first.alt && { altText: first.alt }),
    },
  }
}

/** Looks for a post among its author's newest: by the uploaded files, otherwise by its text. */
export async function findPost(
  client: LinkedInClient,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  if (!mayRead(actor)) return undecidable('LinkedIn does not show the posts of members to this app')
  const assets = textsAt(progress, 'assets')
  const seen = await ifAllowed(recentPosts(client, actor, since))
  if (!seen) return undecidable('LinkedIn does not show the posts of this profile to this app')
  const { recent, complete } = seen
  const match = recent.find((post) => isSame(post, draft, assets))
  const remoteId = textAt(match, 'id')
  if (match !== undefined && remoteId !== undefined) {
    const at = new Date(createdAt(match) || client.installation.clock.now().getTime())
    return { state: 'found', remoteId, remoteUrl: postUrl(client.app, remoteId), at }
  }
  if (!complete) return undecidable('There are too many newer posts on LinkedIn to look through')
  const hasNoText = draft.media.length > 0 && !assets.length && !draft.text.trim()
  if (hasNoText && recent.some((post) => at(post, 'content', 'media') ?? at(post, 'content', 'multiImage'))) {
    return undecidable('A post without text cannot be told from others')
  }
  return { state: 'absent' }
}

const undecidable = (what: string): Found => ({
  state: 'undecidable',
  why: `${what}; it may have been published, please check the profile on LinkedIn.`,
})

async function recentPosts(client: LinkedInClient, actor: Actor, since: Date) {
  const earliest = since.getTime() - 60_000
  const path = `/rest/posts?q=author&author=${encoded(urnOf(actor))}&sortBy=CREATED`
  const recent: Json[] = []
  let start: number | undefined = 0
  for (let pages = 0; start !== undefined && pages < 5; pages++) {
    const page: Listed = await requestList(client, actor, path, { start, count: 50 })
    const young = page.elements.filter((post) => createdAt(post) >= earliest)
    recent.push(...young)
    start = young.length < page.elements.length ? undefined : page.next
  }
  return { recent, complete: start === undefined }
}

const createdAt = (post: Json) => numberAt(post, 'createdAt') ?? numberAt(post, 'publishedAt') ?? 0

/** Upload URNs belong to one post only, so they are stronger evidence than the text. */
function isSame(post: Json, draft: Draft, assets: readonly string[]): boolean {
  const { text, media, link, reshareOf } = draft
  if (media.length && assets.length) return sameList(assetsIn(post), assets)
  if (tidy(readable(textAt(post, 'commentary') ?? '')) !== tidy(displayedText(text))) return false
  if (textAt(post, 'content', 'article', 'source') !== link?.url) return false
  if (textAt(post, 'reshareContext', 'parent') !== reshareOf) return false
  return assetsIn(post).length === media.length && (media.length === 0 || tidy(text) !== '')
}

function assetsIn(post: Json): string[] {
  const single = textAt(post, 'content', 'media', 'id')
  if (single !== undefined) return [single]
  return listAt(post, 'content', 'multiImage', 'images').map((image) => textAt(image, 'id') ?? '')
}

const sameList = (one: readonly string[], other: readonly string[]) => one.join() === other.join()

/** LinkedIn trims surrounding whitespace. */
export const tidy = (text: string) => text.replaceAll('\r\n', '\n').trim()
