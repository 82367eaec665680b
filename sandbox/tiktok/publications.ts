import { download, mediaOf, storeMedia, violatedRule } from '../behaviour/media.ts'
import type { ApiRequest } from '../http/request.ts'
import { limits } from '../manifests.ts'
import { minute } from '../state/clock.ts'
import { secret, snowflake } from '../state/ids.ts'
import { recordAction } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'
import { pushPublished } from './push.ts'

/** The status of a publish request. */
export interface Publication {
  status: 'PROCESSING_UPLOAD' | 'PROCESSING_DOWNLOAD' | 'PUBLISH_COMPLETE' | 'FAILED'
  failReason?: string
  post?: Item
  readyAt?: number
}

export interface PublishRequest {
  text: string
  title?: string
  privacy?: string
  urls: string[]
  kind: 'video' | 'photo'
}

/** Downloads and publishes media; errors are reported by the publish status. */
export async function publishFromUrls(request: ApiRequest, owner: Profile, publish: PublishRequest): Promise<string> {
  const files = await Promise.all(publish.urls.map(download))
  if (files.some((bytes) => bytes === undefined)) return recordFailure(request, owner, `${publish.kind}_pull_failed`)
  return publishMedia(request, owner, publish, files as Buffer[])
}

export function publishMedia(
  request: ApiRequest,
  owner: Profile,
  publish: PublishRequest,
  files: Buffer[],
  publishId = newId(),
): string {
  const media = files.map((bytes) => {
    return storeMedia(request.state, { network: 'TikTok', id: snowflake(), profile: owner.id, bytes })
  })
  const broken = media.map((row) =>
    row.mime.startsWith(publish.kind === 'video' ? 'video/' : 'image/') ? violatedRule('TikTok', row) : 'kind',
  )
  const reasons = {
    kind: 'file_format_check_failed',
    length: 'duration_check_failed',
    size: 'picture_size_check_failed',
    aspect: 'picture_size_check_failed',
  }
  const fault = broken.find((rule) => rule !== undefined)
  if (fault) return recordFailure(request, owner, reasons[fault], publishId)
  const post = recordAction(request.state, owner, {
    id: snowflake(),
    kind: 'post',
    text: publish.text,
    media: media.map(({ id }) => id),
    ...(publish.title === undefined ? {} : { title: publish.title }),
    extra: { publishId, source: publish.urls.join(' '), privacy: publish.privacy ?? 'PUBLIC_TO_EVERYONE' },
  })
  pushPublished(request.state, owner, post, publishId)
  return publishId
}

/** An identical request within a minute is rejected as a duplicate. */
export function isDuplicate(request: ApiRequest, owner: Profile, { text, urls }: PublishRequest): boolean {
  const since = request.state.clock.now() - minute
  return request.state.items
    .ofProfile('TikTok', owner.id, 'post')
    .some((post) => post.at > since && post.text === text && urls.length > 0 && post.extra?.source === urls.join(' '))
}

export function findPublication(request: ApiRequest, owner: Profile, publishId: string): Publication | undefined {
  const known = request.state.uploads.get(publishId)
  if (known?.extra.failReason) return { status: 'FAILED', failReason: String(known.extra.failReason) }
  if (known) return { status: 'PROCESSING_UPLOAD' }
  const post = request.state.items
    .ofProfile('TikTok', owner.id, 'post')
    .find(({ extra }) => extra?.publishId === publishId)
  if (!post) return undefined
  const media = post.media.map((id) => mediaOf(request.state, 'TikTok', id))
  const ready = media.every((row) => row && row.readyAt <= request.state.clock.now())
  const failure = media.find((row) => row?.failed)?.failed
  if (request.notReady || !ready) return { status: 'PROCESSING_DOWNLOAD' }
  if (failure) return { status: 'FAILED', failReason: failure }
  return { status: 'PUBLISH_COMPLETE', post, readyAt: Math.max(post.at, ...media.map((row) => row?.readyAt ?? 0)) }
}

export function validatePublish({ text, title, kind, urls }: PublishRequest): string | undefined {
  if (text.length > (kind === 'video' ? limits.TikTok.text : 4000)) return 'The text is too long.'
  if ((title ?? '').length > (limits.TikTok.title ?? 0)) return 'The title is too long.'
  if (kind === 'photo' && (urls.length < 1 || urls.length > limits.TikTok.images)) return 'photo_images takes 1 to 35.'
  return undefined
}

export function newId(): string {
  return secret('v_pub_url~v2.').slice(0, 33)
}

function recordFailure(request: ApiRequest, owner: Profile, failReason: string, id = newId()): string {
  request.state.uploads.set(id, { id, network: 'TikTok', profile: owner.id, parts: new Map(), extra: { failReason } })
  return id
}
