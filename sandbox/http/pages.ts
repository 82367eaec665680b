import { crc32, deflateSync } from 'node:zlib'
import { mediaOf, sniff } from '../behaviour/media.ts'
import { followersOf, numbersOf } from '../behaviour/metrics.ts'
import { manifests } from '../manifests.ts'
import { newestFirst } from '../state/items.ts'
import type { Item, Network, Profile } from '../state/rows.ts'

import type { Call } from './request.ts'
import { type Answer, escaped, html, page } from './response.ts'
import { decoded } from './router.ts'

const all = Object.values(manifests)

/** What a person sees in a browser, if the path is one for people. */
export function servePage(call: Call): Answer | undefined {
  if (call.method !== 'GET' && call.method !== 'HEAD') return undefined
  if (call.path === '/') return html(indexPage(call))
  const file = /^\/media\/([0-9a-f]{64})$/.exec(call.path)?.[1]
  if (file) return fileAnswer(call, file)
  const [, prefix = '', id = '', picture] = /^\/([a-z]+)\/profiles\/([^/]+)(\/picture)?$/.exec(call.path) ?? []
  const network = all.find((one) => one.prefix === prefix)?.network
  if (network && picture) return { status: 200, headers: { 'content-type': 'image/png' }, body: avatarFor(decoded(id)) }
  if (network) return profilePage(call, network, decoded(id))
  return postPage(call)
}

function postPage(call: Call): Answer | undefined {
  for (const { network, permalink } of all) {
    const id = permalink(call.path, call.query)
    if (id !== undefined) return onePost(call, network, decoded(id))
  }
  return undefined
}

function onePost(call: Call, network: Network, id: string): Answer {
  const item = call.world.items.live(network, id)
  if (!item) return html(page('Not here', '<p>This post is gone or never was.</p>'), 404)
  return html(page(`${item.from.name} on ${network}`, article(call, item)))
}

function indexPage(call: Call): string {
  const rows = call.world.profiles.all().map((profile) => {
    const { prefix } = manifests[profile.network]
    const posts = call.world.items.ofProfile(profile.network, profile.id, 'post').length
    return `<tr><td>${profile.network}</td><td><a href="/${prefix}/profiles/${encodeURIComponent(profile.id)}">${escaped(profile.name)}</a></td>
<td>${profile.kind}</td><td>${escaped(profile.id)}</td><td>${posts}</td></tr>`
  })
  const head = '<tr><th>Network</th><th>Profile</th><th>Kind</th><th>Id</th><th>Posts</th></tr>'
  return page('Profiles', `<table>${head}${rows.join('\n')}</table>`)
}

function profilePage(call: Call, network: Network, id: string): Answer {
  const profile: Profile | undefined = call.world.profile(network, id)
  if (!profile) return html(page('Not here', '<p>There is no such profile.</p>'), 404)
  const posts = newestFirst(call.world.items.ofProfile(network, id, 'post'))
  const followers = followersOf(call.world, profile).toLocaleString('en')
  const head = `<p class="quiet">@${escaped(profile.username)} · ${profile.kind} · ${followers} followers</p>`
  const shown = posts.map((post) => article(call, post)).join('\n') || '<p>Nothing published yet.</p>'
  return html(page(`${profile.name} on ${network}`, head + shown))
}

function article(call: Call, post: Item): string {
  const { views, likes, comments, shares } = numbersOf(call.world, post)
  const title = post.title ? `<h2>${escaped(post.title)}</h2>` : ''
  const text = post.text ? `<p>${escaped(post.text)}</p>` : ''
  const at = new Date(post.at).toISOString()
  return `<article id="${escaped(post.id)}"><p class="quiet">${escaped(post.from.name)} · <time datetime="${at}">${at.slice(0, 16).replace('T', ' ')}</time></p>
${title}${text}${link(post)}${post.media.map((id) => shownMedia(call, post, id)).join('')}
<footer>${counted(views, 'view')} · ${counted(likes, 'like')} · ${counted(comments, 'comment')} · ${counted(shares, 'share')}</footer>${answers(call, post)}</article>`
}

function link({ link: card }: Item): string {
  if (!card) return ''
  const isWeb = /^https?:\/\//.test(card.url)
  const description = card.description ? `<br>${escaped(card.description)}` : ''
  return `<a class="card" rel="nofollow" href="${isWeb ? escaped(card.url) : '#'}"><strong>${escaped(card.title ?? card.url)}</strong>${description}<br><span class="quiet">${escaped(card.url)}</span></a>`
}

function shownMedia(call: Call, post: Item, id: string): string {
  const media = mediaOf(call.world, post.network, id)
  if (!media) return ''
  const source = `/media/${media.sha256}`
  if (media.mime.startsWith('image/')) return `<img src="${source}" alt="${escaped(media.alt ?? '')}">`
  if (media.mime.startsWith('video/')) return `<video src="${source}" controls preload="metadata"></video>`
  return `<a class="card" href="${source}">${escaped(media.title ?? 'Document')} <span class="quiet">${media.mime}, ${media.bytes} bytes</span></a>`
}

function answers(call: Call, parent: Item): string {
  const said = call.world.items.under(parent, 'comment', 'reply')
  if (!said.length) return ''
  const shown = said.map((item) => {
    const likes = call.world.items.under(item, 'like').length
    const liked = likes ? ` <span class="quiet">${counted(likes, 'like')}</span>` : ''
    const media = item.media.map((id) => shownMedia(call, item, id)).join('')
    return `<p><strong>${escaped(item.from.name)}</strong> ${escaped(item.text)}${liked}</p>${media}${answers(call, item)}`
  })
  return `<div class="answers">${shown.join('\n')}</div>`
}

function fileAnswer(call: Call, digest: string): Answer {
  const body = call.world.files.read(digest)
  if (!body)
    return { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Too large to be kept, or never here.' }
  return { status: 200, headers: { 'content-type': sniff(body).mime, 'cache-control': 'max-age=31536000' }, body }
}

function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`
}

const avatarSize = 96

/** A coloured square as a PNG, so that there is a picture to fetch; of the same profile always the same. */
function avatarFor(id: string): Buffer {
  const hue = [...id].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % 360
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(avatarSize * 3, Buffer.from(avatarColour(hue)))])
  const header = Buffer.alloc(13)
  header.writeUInt32BE(avatarSize, 0)
  header.writeUInt32BE(avatarSize, 4)
  // Eight bits of red, green and blue each.
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

/** Of middle lightness, so that white letters can be read on it. */
function avatarColour(hue: number): [red: number, green: number, blue: number] {
  const channel = (shift: number) => {
    const place = (shift + hue / 30) % 12
    return Math.round(255 * (0.45 - 0.27 * Math.max(-1, Math.min(place - 3, 9 - place, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}
