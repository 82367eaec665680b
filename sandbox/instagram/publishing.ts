import { download, storeMedia, violatedRule } from '../behaviour/media.ts'
import { badParameter, refuse } from '../graph/responses.ts'
import { type ApiRequest, booleanOf, textOf } from '../http/request.ts'
import { type ApiResponse, json } from '../http/response.ts'
import { limits } from '../manifests.ts'
import { day } from '../state/clock.ts'
import { graphId } from '../state/ids.ts'
import { newestFirst, recordAction } from '../state/items.ts'
import type { Container, Profile } from '../state/rows.ts'
import { account } from './login.ts'

const dailyPosts = 100

/** POST /{ig}/media: a container for an image, a video, or a carousel. */
export async function createContainer(request: ApiRequest): Promise<ApiResponse> {
  const owner = account(request, 'content_publish')
  const text = textOf(request, 'caption') ?? ''
  checkCaption(text)
  const isItem = booleanOf(request, 'is_carousel_item')
  const carousel = textOf(request, 'media_type') === 'CAROUSEL'
  const found = carousel ? childrenOf(request, owner) : await downloadMedia(request, owner)
  const container = request.state.containers.put({
    id: graphId(),
    profile: owner.id,
    text,
    isItem,
    createdAt: request.state.clock.now(),
    ...found,
  })
  return json({ id: container.id })
}

/** GET /{container}. */
export function containerShape(request: ApiRequest, container: Container) {
  const state = statusOf(request, container)
  const status = container.problem && state === 'ERROR' ? `Error: ${container.problem}` : `${state}: media`
  return { id: container.id, status_code: state, status }
}

/** POST /{ig}/media_publish: once per container, when it is finished. */
export function publishContainer(request: ApiRequest): ApiResponse {
  const owner = account(request, 'content_publish')
  const container = request.state.containers.get(textOf(request, 'creation_id') ?? '')
  if (container?.profile !== owner.id) {
    refuse({ code: 24, subcode: 2207006, message: 'The media to publish does not exist.', type: 'OAuthException' })
  }
  requireFinished(request, container)
  if (publishedToday(request, owner) >= dailyPosts) {
    refuse({ code: 9, subcode: 2207042, message: 'The daily number of posts is reached.', type: 'OAuthException' })
  }
  const post = recordAction(request.state, owner, {
    id: graphId(),
    kind: 'post',
    text: container.text,
    media: container.media,
  })
  request.state.containers.change(container, { publishedAs: post.id })
  return json({ id: post.id })
}

export function publishingLimit(request: ApiRequest): ApiResponse {
  const owner = account(request, 'content_publish')
  const config = { quota_total: dailyPosts, quota_duration: 86_400 }
  return json({ data: [{ quota_usage: publishedToday(request, owner), config }] })
}

function statusOf(request: ApiRequest, { problem, publishedAs, createdAt, readyAt }: Container) {
  const now = request.state.clock.now()
  if (publishedAs !== undefined) return 'PUBLISHED'
  if (createdAt < now - day) return 'EXPIRED'
  if (request.notReady || readyAt > now) return 'IN_PROGRESS'
  return problem === undefined ? 'FINISHED' : 'ERROR'
}

function requireFinished(request: ApiRequest, container: Container) {
  const state = statusOf(request, container)
  if (state === 'FINISHED') return
  const problems = {
    IN_PROGRESS: [9007, 2207027, 'The media is not ready for publishing, please wait for a moment.'],
    ERROR: [-1, 2207032, 'The media could not be made.'],
    EXPIRED: [-2, 2207020, 'The container has expired.'],
    PUBLISHED: [9007, 2207041, 'The container was already published.'],
  } as const
  const [code, subcode, message] = problems[state]
  refuse({ code, subcode, message, type: 'OAuthException', userMessage: message })
}

function childrenOf(request: ApiRequest, owner: Profile): Pick<Container, 'media' | 'readyAt'> {
  const ids = (textOf(request, 'children') ?? '').split(',').filter(Boolean)
  if (!ids.length && Array.isArray(request.fields.children)) ids.push(...request.fields.children.map(String))
  const children = ids.map((id) => request.state.containers.get(id))
  const fits = children.every((child) => child?.profile === owner.id && child.isItem)
  if (!fits || children.length < 2 || children.length > limits.Instagram.images) {
    refuse({ code: 100, subcode: 2207028, message: 'A carousel takes 2 to 10 carousel items.', type: 'OAuthException' })
  }
  return {
    media: children.flatMap((child) => child?.media ?? []),
    readyAt: Math.max(...children.map((child) => child?.readyAt ?? 0)),
  }
}

function checkCaption(text: string) {
  const hashtags = text.match(/#[\p{L}\p{N}_]+/gu)?.length ?? 0
  const mentions = text.match(/@[\w.]+/g)?.length ?? 0
  if (text.length > limits.Instagram.text || hashtags > 30 || mentions > 20) {
    refuse({ code: 36004, subcode: 2207010, message: 'The caption is too long.', type: 'OAuthException' })
  }
}

function publishedToday(request: ApiRequest, owner: Profile): number {
  const since = request.state.clock.now() - day
  const posts = newestFirst(request.state.items.ofProfile('Instagram', owner.id, 'post'))
  return posts.filter(({ at }) => at > since).length
}

/** Downloads the media of a container; image errors are reported immediately, video errors during processing. */
async function downloadMedia(
  request: ApiRequest,
  owner: Profile,
): Promise<Pick<Container, 'media' | 'readyAt' | 'problem'>> {
  const video = textOf(request, 'video_url')
  const url = video ?? textOf(request, 'image_url')
  if (!url) badParameter('The parameter image_url or video_url is required')
  const type = textOf(request, 'media_type')
  if (type !== undefined && !['IMAGE', 'VIDEO', 'REELS', 'STORIES'].includes(type)) {
    refuse({ code: 100, subcode: 2207023, message: 'The media type is unknown.', type: 'OAuthException' })
  }
  const bytes = await download(url)
  if (!bytes) {
    refuse({
      code: 9004,
      subcode: 2207052,
      message: 'Only photo or video can be accepted as media type.',
      type: 'OAuthException',
      userMessage: 'The media could not be fetched from this address.',
    })
  }
  const alt = textOf(request, 'alt_text')
  const stored = { network: 'Instagram', id: graphId(), profile: owner.id, bytes } as const
  const media = storeMedia(request.state, alt === undefined ? stored : { ...stored, alt })
  const isVideo = media.mime.startsWith('video/')
  const broken = isVideo === (video !== undefined) ? violatedRule('Instagram', media) : 'kind'
  if (broken && !isVideo) refuseImage(broken)
  const problem = broken ? `The video is refused because of its ${broken} (2207026)` : media.failed
  return { media: [media.id], readyAt: media.readyAt, ...(problem === undefined ? {} : { problem }) }
}

function refuseImage(broken: 'kind' | 'size' | 'aspect' | 'length'): never {
  const problems = {
    size: [36000, 2207004, 'The image is too large to download.'],
    kind: [36001, 2207005, 'The image format is not supported.'],
    aspect: [36003, 2207009, 'The aspect ratio is not supported.'],
    length: [352, 2207026, 'The video format is not supported.'],
  } as const
  const [code, subcode, message] = problems[broken]
  refuse({ code, subcode, message, type: 'OAuthException' })
}
