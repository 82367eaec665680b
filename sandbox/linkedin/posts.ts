import { createHash } from 'node:crypto'
import { mediaOf } from '../behaviour/media.ts'
import { followersOf } from '../behaviour/metrics.ts'
import { type Call, deepText, listOf, numberOf, objectOf, textOf } from '../http/request.ts'
import { type Answer, json, Refusal } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { snowflake } from '../state/ids.ts'
import { newestFirst, record, remove } from '../state/items.ts'
import type { Item, Json, Link, Media, Profile } from '../state/rows.ts'

import type { World } from '../state/state.ts'
import { actor, grantFor } from './access.ts'
import { badField, duplicateOf, missing, urnOf } from './protocol.ts'
import { stateOf } from './uploads.ts'

/** POST /rest/posts: the id comes back in a header, the body is empty. */
export function createPost(call: Call): Answer {
  if (call.headers['x-restli-method'] === 'PARTIAL_UPDATE') return editPost(call)
  const author = actor(call, textOf(call, 'author'))
  const commentary = textOf(call, 'commentary') ?? ''
  const text = parseLittleText(commentary)
  checkEnvelope(call, author, text)
  const content = objectOf(call, 'content') ?? {}
  const media = attachedMedia(call, content)
  const link = articleOf(content)
  const parent = deepText(call, 'reshareContext', 'parent')
  if (parent !== undefined && !call.world.items.live('LinkedIn', parent)) missing(`the post ${parent}`)
  if (!text && !media.length && !link && parent === undefined) {
    badField('/commentary', 'FIELD_REQUIRED', 'A post needs commentary or content')
  }
  refuseRepeat(call, author, { text, media: media.map(({ id }) => id), link, parent })
  const type = media[0]?.mime.startsWith('video/') ? 'ugcPost' : 'share'
  const post = record(call.world, author, {
    id: `urn:li:${type}:${snowflake()}`,
    alias: `urn:li:activity:${snowflake()}`,
    kind: 'post',
    text,
    media: media.map(({ id }) => id),
    ...(link ? { link } : {}),
    extra: {
      commentary,
      visibility: textOf(call, 'visibility') ?? 'PUBLIC',
      content: content as Json,
      targetEntities: listOf(objectOf(call, 'distribution') ?? {}, 'targetEntities') as Json,
      ...(parent === undefined ? {} : { reshareOf: parent }),
    },
  })
  return { status: 201, headers: { 'x-restli-id': post.id, 'x-linkedin-id': post.id } }
}

function checkEnvelope(call: Call, author: Profile, text: string) {
  if (text.length > limits.LinkedIn.text) {
    badField('/commentary', 'FIELD_LENGTH_TOO_LONG', `commentary may have ${limits.LinkedIn.text} characters`)
  }
  if (textOf(call, 'lifecycleState') !== 'PUBLISHED') {
    badField('/lifecycleState', 'FIELD_VALUE_INVALID', 'lifecycleState must be PUBLISHED', 400)
  }
  const visibilities = author.kind === 'member' ? ['PUBLIC', 'CONNECTIONS', 'LOGGED_IN'] : ['PUBLIC', 'LOGGED_IN']
  if (!visibilities.includes(textOf(call, 'visibility') ?? '')) {
    badField('/visibility', 'FIELD_VALUE_INVALID', `visibility must be one of ${visibilities.join(', ')}`, 400)
  }
  const distribution = objectOf(call, 'distribution')
  if (!distribution || textOf(distribution, 'feedDistribution') === undefined) {
    badField('/distribution', 'FIELD_REQUIRED', 'distribution.feedDistribution is required', 400)
  }
  checkTargeting(call.world, author, listOf(distribution, 'targetEntities'))
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

/** The same content within a day is refused, even when the first was deleted since. */
function refuseRepeat(
  call: Call,
  author: Profile,
  made: { text: string; media: string[]; link: Link | undefined; parent: string | undefined },
) {
  const since = call.world.clock.now() - day
  const same = call.world.items
    .everOfProfile('LinkedIn', author.id)
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
  if (same) throw new Refusal(duplicateOf(same.id))
}

/** X-RestLi-Method: PARTIAL_UPDATE changes the words. */
export function editPost(call: Call): Answer {
  const post = ownPost(call)
  const commentary = deepText(call, 'patch', '$set', 'commentary')
  if (commentary === undefined) badField('/patch', 'FIELD_REQUIRED', 'patch.$set.commentary is required', 400)
  const extra = { ...post.extra, commentary }
  call.world.items.change(post, { text: parseLittleText(commentary), extra, updatedAt: call.world.clock.now() })
  return { status: 204 }
}

/** DELETE of what is not there any more is as good as the first. */
export function deletePost(call: Call): Answer {
  grantFor(call)
  const post = call.world.items.live('LinkedIn', call.params.urn ?? '')
  if (post) {
    actor(call, urnOfAuthor(call, post))
    remove(call.world, post)
  }
  return { status: 204 }
}

export function readPost(call: Call): Answer {
  return json(postShape(call, ownPost(call, 'r')))
}

/** GET /rest/posts?q=author. */
export function listPosts(call: Call): Answer {
  const author = actor(call, textOf(call, 'author'), 'r')
  const start = numberOf(call, 'start') ?? 0
  const count = Math.min(numberOf(call, 'count') ?? 10, 100)
  const posts = newestFirst(call.world.items.ofProfile('LinkedIn', author.id, 'post'))
  const elements = posts.slice(start, start + count).map((post) => postShape(call, post))
  return json({ elements, paging: { start, count, total: posts.length, links: [] } })
}

function postShape(call: Call, post: Item) {
  return {
    id: post.id,
    author: urnOfAuthor(call, post),
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

function ownPost(call: Call, right: 'w' | 'r' = 'w'): Item {
  grantFor(call)
  const post = call.world.items.live('LinkedIn', call.params.urn ?? '')
  if (!post) missing(`the post ${call.params.urn}`)
  actor(call, urnOfAuthor(call, post), right)
  return post
}

export function urnOfAuthor(call: Call, item: Item): string {
  const profile = item.own ? call.world.profile('LinkedIn', item.profile) : undefined
  return profile ? urnOf(profile) : `urn:li:person:${item.from.id}`
}

/** The pictures, the video or the document a post's content names, checked and given their titles. */
function attachedMedia(call: Call, content: object): Media[] {
  const single = objectOf(content, 'media')
  const several = objectOf(content, 'multiImage')
  if (single) return [attached(call, single, '/content/media/id')]
  if (!several) return []
  const images = listOf(several, 'images')
  if (images.length < 2 || images.length > limits.LinkedIn.images) {
    badField('/content/multiImage/images', 'INVALID_VALUE', `multiImage takes 2 to ${limits.LinkedIn.images} images`)
  }
  return images.map((image, index) => attached(call, image as object, `/content/multiImage/images/${index}/id`))
}

function attached(call: Call, given: object, path: string): Media {
  const media = mediaOf(call.world, 'LinkedIn', textOf(given, 'id') ?? '')
  if (!media) badField(path, 'INVALID_URN', `The media ${textOf(given, 'id')} does not exist`, 400)
  const state = stateOf(call, media)
  if (state === 'PROCESSING') badField(path, 'MEDIA_ASSET_PROCESSING', 'The media asset is still being processed', 400)
  if (state === 'PROCESSING_FAILED')
    badField(path, 'MEDIA_ASSET_PROCESSING_FAILED', media.failed ?? 'Processing failed', 400)
  const alt = textOf(given, 'altText')
  const title = textOf(given, 'title')
  return call.world.media.change(media, { ...(alt ? { alt } : {}), ...(title ? { title } : {}) })
}

/** LinkedIn's own page for trials is content with one reader. */
const trialPage = '2414183'
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

/** A post for some followers only: pages alone may, and not for too few. */
function checkTargeting(world: World, author: Profile, targets: unknown[]) {
  if (!targets.length) return
  const path = '/distribution/targetEntities'
  if (author.kind === 'member') badField(path, 'INVALID_VALUE', 'Only organizations can target their posts')
  const needed = author.id === trialPage ? 1 : 300
  for (const target of targets) {
    const chosen = Object.entries((target ?? {}) as Record<string, unknown>)
    const unknown = chosen.find(([facet]) => !facets.includes(facet))
    if (unknown) badField(`${path}/${unknown[0]}`, 'UNKNOWN_FIELD', `Unknown facet ${unknown[0]}`, 400)
    if (audience(world, author, chosen) < needed) {
      badField(path, 'TARGET_AUDIENCE_TOO_SMALL', `The target audience must have at least ${needed} members`)
    }
  }
}

/** Values of one facet add up, facets cut each other down; the same question has the same answer every time. */
function audience(world: World, author: Profile, chosen: [string, unknown][]): number {
  const share = ([facet, values]: [string, unknown]) => {
    const parts = (Array.isArray(values) ? values : []).map((value) => shareOf(facet, JSON.stringify(value)))
    return Math.min(
      1,
      parts.reduce((left, right) => left + right, 0),
    )
  }
  return Math.floor(chosen.map(share).reduce((left, right) => left * right, followersOf(world, author)))
}

/** Between a fiftieth and a third of the followers. */
export function shareOf(facet: string, value: string): number {
  const digest = createHash('sha256').update(`${facet}:${value}`).digest()
  return 0.02 + (digest.readUInt16BE() / 65_536) * 0.3
}

/** What a reader sees of a commentary: escapes, mentions and hashtag templates resolved. */
function parseLittleText(commentary: string): string {
  let seen = ''
  let at = 0
  while (at < commentary.length) {
    const rest = commentary.slice(at)
    const literal = /^\\([\\|{}@[\]()<>#*_~])/.exec(rest)
    const mention = /^@\[((?:[^[\]\\]|\\.)*)\]\(urn:li:\w+:[^()[\]]+\)/.exec(rest)
    const hashtag = /^\{hashtag\|(?:\\#|#|＃)\|([^{}]+)\}/.exec(rest)
    const token = literal ?? mention ?? hashtag
    // An unescaped bracket ends the text there, as it does on the network.
    if (!token && /^[()[\]{}<>|]/.test(rest)) return seen
    if (token) seen += hashtag ? `#${token[1]}` : (token[1] ?? '').replaceAll(/\\(.)/g, '$1')
    else seen += commentary[at]
    at += token ? token[0].length : 1
  }
  return seen
}
