import { brokenRule, keepMedia, mediaOf, pull } from '../behaviour/media.ts'
import type { Call } from '../http/request.ts'
import { limits } from '../manifests.ts'
import { minute } from '../state/clock.ts'
import { secret, snowflake } from '../state/ids.ts'
import { record } from '../state/items.ts'
import type { Item, Profile } from '../state/rows.ts'

import { publishPushed } from './push.ts'

/** What became of a publish order: the post, or why there is none. */
export interface Publication {
  status: 'PROCESSING_UPLOAD' | 'PROCESSING_DOWNLOAD' | 'PUBLISH_COMPLETE' | 'FAILED'
  failReason?: string
  post?: Item
  /** When it was published. */
  readyAt?: number
}

export interface Order {
  text: string
  title?: string
  privacy?: string
  urls: string[]
  kind: 'video' | 'photo'
}

/** Takes an order of media to fetch; what cannot be used shows in the state of the order, not here. */
export async function fetchOrder(call: Call, owner: Profile, order: Order): Promise<string> {
  const files = await Promise.all(order.urls.map(pull))
  if (files.some((bytes) => bytes === undefined)) return failed(call, owner, `${order.kind}_pull_failed`)
  return publishOrder(call, owner, order, files as Buffer[])
}

export function publishOrder(call: Call, owner: Profile, order: Order, files: Buffer[], publishId = newId()): string {
  const media = files.map((bytes) => {
    return keepMedia(call.world, { network: 'TikTok', id: snowflake(), profile: owner.id, bytes })
  })
  const broken = media.map((row) =>
    row.mime.startsWith(order.kind === 'video' ? 'video/' : 'image/') ? brokenRule('TikTok', row) : 'kind',
  )
  const reasons = {
    kind: 'file_format_check_failed',
    length: 'duration_check_failed',
    size: 'picture_size_check_failed',
    aspect: 'picture_size_check_failed',
  }
  const fault = broken.find((rule) => rule !== undefined)
  if (fault) return failed(call, owner, reasons[fault], publishId)
  const post = record(call.world, owner, {
    id: snowflake(),
    kind: 'post',
    text: order.text,
    media: media.map(({ id }) => id),
    ...(order.title === undefined ? {} : { title: order.title }),
    extra: { publishId, source: order.urls.join(' '), privacy: order.privacy ?? 'PUBLIC_TO_EVERYONE' },
  })
  publishPushed(call.world, owner, post, publishId)
  return publishId
}

/** An order that is repeated word for word within a minute is taken for a mistake. */
export function isRepeated(call: Call, owner: Profile, { text, urls }: Order): boolean {
  const since = call.world.clock.now() - minute
  return call.world.items
    .ofProfile('TikTok', owner.id, 'post')
    .some((post) => post.at > since && post.text === text && urls.length > 0 && post.extra?.source === urls.join(' '))
}

export function publicationOf(call: Call, owner: Profile, publishId: string): Publication | undefined {
  const known = call.world.uploads.get(publishId)
  if (known?.extra.failReason) return { status: 'FAILED', failReason: String(known.extra.failReason) }
  if (known) return { status: 'PROCESSING_UPLOAD' }
  const post = call.world.items
    .ofProfile('TikTok', owner.id, 'post')
    .find(({ extra }) => extra?.publishId === publishId)
  if (!post) return undefined
  const media = post.media.map((id) => mediaOf(call.world, 'TikTok', id))
  const ready = media.every((row) => row && row.readyAt <= call.world.clock.now())
  const failure = media.find((row) => row?.failed)?.failed
  if (call.notReady || !ready) return { status: 'PROCESSING_DOWNLOAD' }
  if (failure) return { status: 'FAILED', failReason: failure }
  return { status: 'PUBLISH_COMPLETE', post, readyAt: Math.max(post.at, ...media.map((row) => row?.readyAt ?? 0)) }
}

export function checkOrder({ text, title, kind, urls }: Order): string | undefined {
  if (text.length > (kind === 'video' ? limits.TikTok.text : 4000)) return 'The text is too long.'
  if ((title ?? '').length > (limits.TikTok.title ?? 0)) return 'The title is too long.'
  if (kind === 'photo' && (urls.length < 1 || urls.length > limits.TikTok.images)) return 'photo_images takes 1 to 35.'
  return undefined
}

export function newId(): string {
  return secret('v_pub_url~v2.').slice(0, 33)
}

function failed(call: Call, owner: Profile, failReason: string, id = newId()): string {
  call.world.uploads.set(id, { id, network: 'TikTok', profile: owner.id, parts: new Map(), extra: { failReason } })
  return id
}
