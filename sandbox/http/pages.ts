import { crc32, deflateSync } from 'node:zlib'
import { detectMedia, mediaOf } from '../behaviour/media.ts'
import { followersOf, metricsOf } from '../behaviour/metrics.ts'
import { manifests } from '../manifests.ts'
import { newestFirst } from '../state/items.ts'
import type { Item, Network, Profile } from '../state/rows.ts'
import type { ApiRequest } from './request.ts'
import { type ApiResponse, escapeHtml, html, renderPage } from './response.ts'
import { decodeSegment } from './router.ts'

const networkManifests = Object.values(manifests)

/** HTML pages for browsers; undefined for other paths. */
export function servePage(request: ApiRequest): ApiResponse | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  if (request.path === '/') return html(indexPage(request))
  const file = /^\/media\/([0-9a-f]{64})$/.exec(request.path)?.[1]
  if (file) return fileResponse(request, file)
  const [, prefix = '', id = '', picture] = /^\/([a-z]+)\/profiles\/([^/]+)(\/picture)?$/.exec(request.path) ?? []
  const network = networkManifests.find((one) => one.prefix === prefix)?.network
  if (network && picture)
    return { status: 200, headers: { 'content-type': 'image/png' }, body: avatarFor(decodeSegment(id)) }
  if (network) return profilePage(request, network, decodeSegment(id))
  return postPage(request)
}

function postPage(request: ApiRequest): ApiResponse | undefined {
  for (const { network, permalink } of networkManifests) {
    const id = permalink(request.path, request.query)
    if (id !== undefined) return singlePost(request, network, decodeSegment(id))
  }
  return undefined
}

function singlePost(request: ApiRequest, network: Network, id: string): ApiResponse {
  const item = request.state.items.live(network, id)
  if (!item) return html(renderPage('Not here', '<p>This post is gone or never was.</p>'), 404)
  return html(renderPage(`${item.from.name} on ${network}`, postHtml(request, item)))
}

function indexPage(request: ApiRequest): string {
  const rows = request.state.profiles.all().map((profile) => {
    const { prefix } = manifests[profile.network]
    const posts = request.state.items.ofProfile(profile.network, profile.id, 'post').length
    return `<tr><td>${profile.network}</td><td><a href="/${prefix}/profiles/${encodeURIComponent(profile.id)}">${escapeHtml(profile.name)}</a></td>
<td>${profile.kind}</td><td>${escapeHtml(profile.id)}</td><td>${posts}</td></tr>`
  })
  const head = '<tr><th>Network</th><th>Profile</th><th>Kind</th><th>Id</th><th>Posts</th></tr>'
  return renderPage('Profiles', `<table>${head}${rows.join('\n')}</table>`)
}

function profilePage(request: ApiRequest, network: Network, id: string): ApiResponse {
  const profile: Profile | undefined = request.state.profile(network, id)
  if (!profile) return html(renderPage('Not here', '<p>There is no such profile.</p>'), 404)
  const posts = newestFirst(request.state.items.ofProfile(network, id, 'post'))
  const followers = followersOf(request.state, profile).toLocaleString('en')
  const head = `<p class="quiet">@${escapeHtml(profile.username)} · ${profile.kind} · ${followers} followers</p>`
  const rendered = posts.map((post) => postHtml(request, post)).join('\n') || '<p>Nothing published yet.</p>'
  return html(renderPage(`${profile.name} on ${network}`, head + rendered))
}

function postHtml(request: ApiRequest, post: Item): string {
  const { views, likes, comments, shares } = metricsOf(request.state, post)
  const title = post.title ? `<h2>${escapeHtml(post.title)}</h2>` : ''
  const text = post.text ? `<p>${escapeHtml(post.text)}</p>` : ''
  const at = new Date(post.at).toISOString()
  return `<article id="${escapeHtml(post.id)}"><p class="quiet">${escapeHtml(post.from.name)} · <time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time></p>
${title}${text}${linkHtml(post)}${post.media.map((id) => mediaHtml(request, post, id)).join('')}
<footer>${pluralize(views, 'view')} · ${pluralize(likes, 'like')} · ${pluralize(comments, 'comment')} · ${pluralize(shares, 'share')}</footer>${repliesHtml(request, post)}</article>`
}

function linkHtml({ link: card }: Item): string {
  if (!card) return ''
  const isWeb = /^https?:\/\//.test(card.url)
  const description = card.description ? `<br>${escapeHtml(card.description)}` : ''
  return `<a class="card" rel="nofollow" href="${isWeb ? escapeHtml(card.url) : '#'}"><strong>${escapeHtml(card.title ?? card.url)}</strong>${description}<br><span class="quiet">${escapeHtml(card.url)}</span></a>`
}

function mediaHtml(request: ApiRequest, post: Item, id: string): string {
  const media = mediaOf(request.state, post.network, id)
  if (!media) return ''
  const source = `/media/${media.sha256}`
  if (media.mime.startsWith('image/')) return `<img src="${source}" alt="${escapeHtml(media.alt ?? '')}">`
  if (media.mime.startsWith('video/')) return `<video src="${source}" controls preload="metadata"></video>`
  return `<a class="card" href="${source}">${escapeHtml(media.title ?? 'Document')} <span class="quiet">${media.mime}, ${media.bytes} bytes</span></a>`
}

function repliesHtml(request: ApiRequest, parent: Item): string {
  const comments = request.state.items.childrenOf(parent, 'comment', 'reply')
  if (!comments.length) return ''
  const rendered = comments.map((item) => {
    const likes = request.state.items.childrenOf(item, 'like').length
    const liked = likes ? ` <span class="quiet">${pluralize(likes, 'like')}</span>` : ''
    const media = item.media.map((id) => mediaHtml(request, item, id)).join('')
    return `<p><strong>${escapeHtml(item.from.name)}</strong> ${escapeHtml(item.text)}${liked}</p>${media}${repliesHtml(request, item)}`
  })
  return `<div class="replies">${rendered.join('\n')}</div>`
}

function fileResponse(request: ApiRequest, digest: string): ApiResponse {
  const body = request.state.files.read(digest)
  if (!body)
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Too large to be kept, or never here.' }
  return { status: 200, headers: { 'content-type': detectMedia(body).mime, 'cache-control': 'max-age=31536000' }, body }
}

function pluralize(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

const avatarSize = 96

/** A coloured square as PNG, deterministic per profile. */
function avatarFor(id: string): Buffer {
  const hue = [...id].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % 360
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(avatarSize * 3, Buffer.from(avatarColour(hue)))])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(avatarSize, 0)
  header.writeUInt32BE(avatarSize, 4)
  // 8-bit RGB.
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: avatarSize }, () => row)))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  check.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, check])
}

/** Medium lightness, so that white text is readable on it. */
function avatarColour(hue: number): [red: number, green: number, blue: number] {
  const channel = (shift: number) => {
    const place = (shift + hue / 30) % 12
    return Math.round(255 * (0.45 - 0.27 * Math.max(-1, Math.min(place - 3, 9 - place, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
