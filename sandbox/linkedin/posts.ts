import { createHash } from 'node:crypto'
import { mediaOf } from '../behaviour/media.ts'
import { followersOf } from '../behaviour/metrics.ts'
import { type ApiRequest, listOf, nestedText, numberOf, objectOf, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { newestFirst, recordAction, removeItem } from '../state/items.ts'
import type { Item, Json, Link, Media, Profile } from '../state/rows.ts'
import type { SandboxState } from '../state/state.ts'
import { actor, grantFor } from './access.ts'
import { badField, duplicateOf, notFound, urnOf } from './protocol.ts'
import { statusOf } from './uploads.ts'

/** POST /rest/posts: returns the id in a header and an empty body. */
export function createPost(request: ApiRequest): ApiResponse {
  if (request.headers['x-restli-method'] === 'PARTIAL_UPDATE') return editPost(request)
  const author = actor(request, textOf(request, 'author'))
  const commentary = textOf(request, 'commentary') ?? ''
  const text = parseLittleText(commentary)
  checkEnvelope(request, author, text)
  const content = objectOf(request, 'content') ?? {}
  const media = attachedMedia(request, content)
  const link = articleOf(content)
  const parent = nestedText(request, 'reshareContext', 'parent')
  if (parent !== undefined && !request.state.items.live('LinkedIn', parent)) notFound(`the post ${parent}`)
  if (!text && !media.length && !link && parent === undefined) {
    badField('/commentary', 'FIELD_REQUIRED', 'A post needs commentary or content')
  }
  refuseDuplicate(request, author, { text, media: media.map(({ id }) => id), link, parent })
  const type = media[0]?.mime.startsWith('video/') ? 'ugcPost' : 'share'
  const post = recordAction(request.state, author, {
    id: `urn:li:${type}:${snowflake()}`,
    alias: `urn:li:activity:${snowflake()}`,
    kind: 'post',
    text,
    media: media.map(({ id }) => id),
    ...(link ? { link } : {}),
    extra: {
      commentary,
      visibility: textOf(request, 'visibility') ?? 'PUBLIC',
      content: content as Json,
      targetEntities: listOf(objectOf(request, 'distribution') ?? {}, 'targetEntities') as Json,
      ...(parent === undefined ? {} : { reshareOf: parent }),
    },
  })
  return { status: 201, headers: { 'x-restli-id': post.id, 'x-linkedin-id': post.id } }
}

function checkEnvelope(request: ApiRequest, author: Profile, text: string) {
  if (text.length > limits.LinkedIn.text) {
    badField('/commentary', 'FIELD_LENGTH_TOO_LONG', `commentary may have ${limits.LinkedIn.text} characters`)
  }
  if (textOf(request, 'lifecycleState') !== 'PUBLISHED') {
    badField('/lifecycleState', 'FIELD_VALUE_INVALID', 'lifecycleState must be PUBLISHED', 400)
  }
  const visibilities = author.kind === 'member' ? ['PUBLIC', 'CONNECTIONS', 'LOGGED_IN'] : ['PUBLIC', 'LOGGED_IN']
  if (!visibilities.includes(textOf(request, 'visibility') ?? '')) {
    badField('/visibility', 'FIELD_VALUE_INVALID', `visibility must be one of ${visibilities.join(', ')}`, 400)
  }
  const distribution = objectOf(request, 'distribution')
  if (!distribution || textOf(distribution, 'feedDistribution') === undefined) {
    badField('/distribution', 'FIELD_REQUIRED', 'distribution.feedDistribution is required', 400)
  }
  checkTargeting(request.state, author, listOf(distribution, 'targetEntities'))
}

function articleOf(content: object): Link | undefined {
  const article = objectOf(content, 'article')
  const url = article && textOf(article, 'source')
  if (!article) return undefined
  if (!url || !URL.canParse(url)) badField('/content/article/source', 'INVALID_URL', 'source must be an address')
  const [title, description, image] = ['title', 'description', 'thumbnail'].map((name) => textOf(article, name))
  if (!title) badField('/content/article/title', 'FIELD_REQUIRED', 'title is required')
  return { url, title, ...(description ? { description } : {}), ...(image ? { image } : {}) }
}

/** Duplicates within a day are rejected, even if the first post was deleted. */
function refuseDuplicate(
  request: ApiRequest,
  author: Profile,
  made: { text: string; media: string[]; link: Link | undefined; parent: string | undefined },
) {
  const since = request.state.clock.now() - day
  const same = request.state.items
    .allOfProfile('LinkedIn', author.id)
    .find(
      (item) =>
        item.kind === 'post' &&
        item.own &&
        item.at > since &&
        item.text === made.text &&
        item.link?.url === made.link?.url &&
        item.media.join() === made.media.join() &&
        item.extra?.reshareOf === made.parent,
    )
  if (same) throw new ApiError(duplicateOf(same.id))
}

/** X-RestLi-Method: PARTIAL_UPDATE edits the commentary. */
export function editPost(request: ApiRequest): ApiResponse {
  const post = ownPost(request)
  const commentary = nestedText(request, 'patch', '$set', 'commentary')
  if (commentary === undefined) badField('/patch', 'FIELD_REQUIRED', 'patch.$set.commentary is required', 400)
  const extra = { ...post.extra, commentary }
  request.state.items.change(post, { text: parseLittleText(commentary), extra, updatedAt: request.state.clock.now() })
  return { status: 204 }
}

/** DELETE is idempotent. */
export function deletePost(request: ApiRequest): ApiResponse {
  grantFor(request)
  const post = request.state.items.live('LinkedIn', request.params.urn ?? '')
  if (post) {
    actor(request, authorUrn(request, post))
    removeItem(request.state, post)
  }
  return { status: 204 }
}

export function readPost(request: ApiRequest): ApiResponse {
  return json(postShape(request, ownPost(request, 'r')))
}

/** GET /rest/posts?q=author. */
export function listPosts(request: ApiRequest): ApiResponse {
  const author = actor(request, textOf(request, 'author'), 'r')
  const start = numberOf(request, 'start') ?? 0
  const count = Math.min(numberOf(request, 'count') ?? 10, 100)
  const posts = newestFirst(request.state.items.ofProfile('LinkedIn', author.id, 'post'))
  const elements = posts.slice(start, start + count).map((post) => postShape(request, post))
  return json({ elements, paging: { start, count, total: posts.length, links: [] } })
}

function postShape(request: ApiRequest, post: Item) {
  return {
    id: post.id,
    author: authorUrn(request, post),
    commentary: post.extra?.commentary ?? post.text,
    visibility: post.extra?.visibility ?? 'PUBLIC',
    lifecycleState: 'PUBLISHED',
    createdAt: post.at,
    publishedAt: post.at,
    lastModifiedAt: post.updatedAt ?? post.at,
    isReshareDisabledByAuthor: false,
    distribution: {
      feedDistribution: 'MAIN_FEED',
      targetEntities: post.extra?.targetEntities ?? [],
      thirdPartyDistributionChannels: [],
    },
    ...(Object.keys((post.extra?.content as object | undefined) ?? {}).length ? { content: post.extra?.content } : {}),
    ...(post.extra?.reshareOf ? { reshareContext: { parent: post.extra.reshareOf } } : {}),
  }
}

function ownPost(request: ApiRequest, permission: 'w' | 'r' = 'w'): Item {
  grantFor(request)
  const post = request.state.items.live('LinkedIn', request.params.urn ?? '')
  if (!post) notFound(`the post ${request.params.urn}`)
  actor(request, authorUrn(request, post), permission)
  return post
}

export function authorUrn(request: ApiRequest, item: Item): string {
  const profile = item.own ? request.state.profile('LinkedIn', item.profile) : undefined
  return profile ? urnOf(profile) : `urn:li:person:${item.from.id}`
}

/** The validated images, video or document of a post, with their titles. */
function attachedMedia(request: ApiRequest, content: object): Media[] {
  const single = objectOf(content, 'media')
  const several = objectOf(content, 'multiImage')
  if (single) return [readMedia(request, single, '/content/media/id')]
  if (!several) return []
  const images = listOf(several, 'images')
  if (images.length < 2 || images.length > limits.LinkedIn.images) {
    badField('/content/multiImage/images', 'INVALID_VALUE', `multiImage takes 2 to ${limits.LinkedIn.images} images`)
  }
  return images.map((image, index) => readMedia(request, image as object, `/content/multiImage/images/${index}/id`))
}

function readMedia(request: ApiRequest, given: object, path: string): Media {
  const media = mediaOf(request.state, 'LinkedIn', textOf(given, 'id') ?? '')
  if (!media) badField(path, 'INVALID_URN', `The media ${textOf(given, 'id')} does not exist`, 400)
  const state = statusOf(request, media)
  if (state === 'PROCESSING') badField(path, 'MEDIA_ASSET_PROCESSING', 'The media asset is still being processed', 400)
  if (state === 'PROCESSING_FAILED')
    badField(path, 'MEDIA_ASSET_PROCESSING_FAILED', media.failed ?? 'Processing failed', 400)
  const alt = textOf(given, 'altText')
  const title = textOf(given, 'title')
  return request.state.media.change(media, { ...(alt ? { alt } : {}), ...(title ? { title } : {}) })
}

/** LinkedIn's test page accepts an audience of one. */
const testPage = '2414183'
const facets = [
  'staffCountRanges',
  'industries',
  'jobFunctions',
  'seniorities',
  'geoLocations',
  'interfaceLocales',
  'degrees',
  'fieldsOfStudy',
  'organizations',
  'schools',
]

/** Targeting is available to pages only and requires a minimum audience. */
function checkTargeting(state: SandboxState, author: Profile, targets: unknown[]) {
  if (!targets.length) return
  const path = '/distribution/targetEntities'
  if (author.kind === 'member') badField(path, 'INVALID_VALUE', 'Only organizations can target their posts')
  const needed = author.id === testPage ? 1 : 300
  for (const target of targets) {
    const chosen = Object.entries((target ?? {}) as Record<string, unknown>)
    const unknown = chosen.find(([facet]) => !facets.includes(facet))
    if (unknown) badField(`${path}/${unknown[0]}`, 'UNKNOWN_FIELD', `Unknown facet ${unknown[0]}`, 400)
    if (audienceSize(state, author, chosen) < needed) {
      badField(path, 'TARGET_AUDIENCE_TOO_SMALL', `The target audience must have at least ${needed} members`)
    }
  }
}

/** Values of one facet are added, facets are multiplied; deterministic. */
function audienceSize(state: SandboxState, author: Profile, chosen: [string, unknown][]): number {
  const share = ([facet, values]: [string, unknown]) => {
    const parts = (Array.isArray(values) ? values : []).map((value) => facetShare(facet, JSON.stringify(value)))
    return Math.min(
      1,
      parts.reduce((left, right) => left + right, 0),
    )
  }
  return Math.floor(chosen.map(share).reduce((left, right) => left * right, followersOf(state, author)))
}

/** Between 2% and 32% of the followers. */
export function facetShare(facet: string, value: string): number {
  const digest = createHash('sha256').update(`${facet}:${value}`).digest()
  return 0.02 + (digest.readUInt16BE() / 65_536) * 0.3
}

/** Renders LinkedIn's "little text" format: resolves escapes, mentions and hashtag templates. */
function parseLittleText(commentary: string): string {
  let rendered = ''
  let at = 0
  while (at < commentary.length) {
    const rest = commentary.slice(at)
    const literal = /^\\([\\|{}@[\]()<>#*_~])/.exec(rest)
    const mention = /^@\[((?:[^[\]\\]|\\.)*)\]\(urn:li:\w+:[^()[\]]+\)/.exec(rest)
    const hashtag = /^\{hashtag\|(?:\\#|#|＃)\|([^{}]+)\}/.exec(rest)
    const token = literal ?? mention ?? hashtag
    // An unescaped bracket truncates the text, as on the network.
    if (!token && /^[()[\]{}<>|]/.test(rest)) return rendered
    if (token) rendered += hashtag ? `#${token[1]}` : (token[1] ?? '').replaceAll(/\\(.)/g, '$1')
    else rendered += commentary[at]
    at += token ? token[0].length : 1
  }
  return rendered
}
