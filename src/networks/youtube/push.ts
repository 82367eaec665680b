import { between, elementText } from '#kernel/text-parts.ts'
import type { Activity, Actor, PushRequest, PushVerdict } from '../connector/connector.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { hmac, isChallenge, sameText } from '../http/signature.ts'
import { asJson, watchUrl, type YouTubeClient } from './client.ts'
import { manifest } from './manifest.ts'

/** The hub's maximum (from secondary sources); renewed a day before it expires. */
const leaseSeconds = 5 * 86_400
const renewEarlierSeconds = 86_400

/** Asks the hub to notify about uploads of the channel; it verifies the callback URL immediately. */
export async function subscribePush({ app, installation, http }: YouTubeClient, actor: Actor, callback: string) {
  const form = {
    'hub.mode': 'subscribe',
    'hub.topic': topicOf(app, actor.remoteId),
    'hub.callback': callback,
    'hub.secret': secretOf(app, actor.remoteId),
    'hub.lease_seconds': leaseSeconds,
    'hub.verify': 'async',
  }
  await http({ method: 'POST', url: `${app.hosts.hub}/subscribe`, form })
  return { renewBefore: new Date(installation.clock.now().getTime() + (leaseSeconds - renewEarlierSeconds) * 1000) }
}

export const verifyPush = (app: NetworkApp, request: PushRequest): PushVerdict =>
  request.method === 'GET' ? handshake(app, request.query) : delivery(app, request)

/** The hub repeats our request; only subscriptions to channel feeds are confirmed. */
function handshake(app: NetworkApp, query: URLSearchParams): PushVerdict {
  const [mode, topic, challenge] = ['mode', 'topic', 'challenge'].map((name) => query.get(`hub.${name}`))
  if (mode === 'denied') return accepted([])
  if (!topic || !challenge) return rejected(400, 'The confirmation names no topic or no challenge.')
  if (!isChallenge(challenge)) return rejected(400, 'The challenge is not in the form of a hub.')
  if (mode !== 'subscribe') return rejected(403, `Nobody here has asked for ${mode}.`)
  const isFeed = topic.startsWith(topicOf(app, '')) && /^[\w-]+$/.test(topic.slice(topicOf(app, '').length))
  return isFeed ? accepted([], challenge) : rejected(403, 'The topic is not the feed of a channel.')
}

function delivery(app: NetworkApp, { headers, raw }: PushRequest): PushVerdict {
  const xml = Buffer.from(raw).toString('utf8')
  const channelId = channelIn(xml)
  if (!channelId) return rejected(202, 'The notification names no channel.')
  const expected = `sha1=${hmac('sha1', secretOf(app, channelId), 'hex', raw)}`
  if (!sameText(headers[manifest.push.signature] ?? '', expected)) return rejected(202, 'The signature is not right.')
  const feed = readFeed(xml)
  if (!feed) return rejected(400, 'The notification cannot be read.')
  if (feed.entries.some((entry) => entry.channelId !== channelId)) {
    return rejected(400, 'The notification names more than one channel.')
  }
  return accepted([
    ...feed.entries.map((entry) => upload(app, entry)),
    ...feed.tombstones.map((tombstone) => removal(channelId, tombstone)),
  ])
}

/** An edit is pushed like an upload, with a later time. */
const upload = (app: NetworkApp, entry: Entry): Activity => ({
  dedupeKey: `post:${entry.videoId}:${entry.updated}`,
  kind: 'post',
  actorRemoteId: entry.channelId,
  remoteId: entry.videoId,
  from: { id: entry.channelId, name: entry.author || undefined },
  postId: entry.videoId,
  text: entry.title,
  url: watchUrl(app, entry.videoId),
  at: new Date(entry.published),
  raw: asJson(entry),
})

const removal = (channelId: string, tombstone: Tombstone): Activity => ({
  dedupeKey: `removed:${tombstone.videoId}`,
  kind: 'removed',
  actorRemoteId: channelId,
  remoteId: tombstone.videoId,
  postId: tombstone.videoId,
  at: new Date(tombstone.when),
  raw: asJson(tombstone),
})

const topicOf = ({ hosts }: NetworkApp, channelId: string) =>
  `${hosts.public}/xml/feeds/videos.xml?channel_id=${channelId}`

/** Derived, so that a delivery can be verified without a lookup. */
const secretOf = ({ clientSecret }: NetworkApp, channelId: string) => hmac('sha256', clientSecret, 'hex', channelId)

const accepted = (items: Activity[], body = ''): PushVerdict => ({
  ok: true,
  response: { status: 200, type: 'text/plain', body },
  items,
})

const rejected = (status: 202 | 400 | 403, reason: string): PushVerdict => ({ ok: false, status, reason })

/** A video in a notification. */
export interface Entry {
  videoId: string
  channelId: string
  title: string
  author: string
  published: string
  updated: string
}

/** A deleted video in a notification. */
export interface Tombstone {
  videoId: string
  when: string
}

/** The channel named in a notification; trusted only after the signature is verified. */
const channelIn = (xml: string): string | undefined =>
  /<yt:channelId>([\w-]+)<\/yt:channelId>/.exec(xml)?.[1] ??
  /[?&]channel_id=([\w-]+)"/.exec(xml)?.[1] ??
  /\/channel\/([\w-]+)<\/uri>/.exec(xml)?.[1]

/** Parses the few Atom elements needed; undefined if one is missing. */
function readFeed(xml: string): { entries: Entry[]; tombstones: Tombstone[] } | undefined {
  if (!/<feed[\s>]/.test(xml) || !xml.trimEnd().endsWith('</feed>')) return undefined
  const entries = [...between(xml, '<entry>', '</entry>')].map(readEntry)
  const gone = [...between(xml, '<at:deleted-entry', '>')].filter((marks) => /^\s/.test(marks))
  const tombstones = gone.map((marks) => ({
    videoId: /ref="yt:video:([\w-]+)"/.exec(marks)?.[1] ?? '',
    when: /when="([^"]+)"/.exec(marks)?.[1] ?? '',
  }))
  const isComplete =
    entries.every((entry) => entry.videoId && entry.channelId && isDate(entry.published) && isDate(entry.updated)) &&
    tombstones.every(({ videoId, when }) => videoId && isDate(when))
  return isComplete && entries.length + tombstones.length > 0 ? { entries, tombstones } : undefined
}

const isDate = (text: string) => !Number.isNaN(Date.parse(text))

const readEntry = (entry: string): Entry => ({
  videoId: tag(entry, 'yt:videoId'),
  channelId: tag(entry, 'yt:channelId'),
  title: tag(entry, 'title'),
  author: tag(entry, 'name'),
  published: tag(entry, 'published'),
  updated: tag(entry, 'updated'),
})

const tag = (xml: string, name: string) => unescaped(elementText(xml, name)?.trim() ?? '')

const unescaped = (text: string) =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(amp|lt|gt|quot|apos));/gi, (_, decimal, hexadecimal, name) => {
    if (name) return named[String(name).toLowerCase() as keyof typeof named]
    const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD'
  })

const named = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
