import { between, elementText } from '#kernel/text-parts.ts'

/** What a hub tells about one video. */
export interface Entry {
  videoId: string
  channelId: string
  title: string
  author: string
  published: string
  updated: string
}

/** What a hub tells about a video that is gone. */
export interface Tombstone {
  videoId: string
  when: string
}

/** The channel a notification is about, as far as its text says; believed only after the signature was checked. */
export const channelIn = (xml: string): string | undefined =>
  /<yt:channelId>([\w-]+)<\/yt:channelId>/.exec(xml)?.[1] ??
  /[?&]channel_id=([\w-]+)"/.exec(xml)?.[1] ??
  /\/channel\/([\w-]+)<\/uri>/.exec(xml)?.[1]

/** The few tags of Atom that are of use; nothing when one of them is missing. */
export function readFeed(xml: string): { entries: Entry[]; tombstones: Tombstone[] } | undefined {
  if (!/<feed[\s>]/.test(xml) || !xml.trimEnd().endsWith('</feed>')) return undefined
  const entries = [...between(xml, '<entry>', '</entry>')].map(readEntry)
  const gone = [...between(xml, '<at:deleted-entry', '>')].filter((marks) => /^\s/.test(marks))
  const tombstones = gone.map((marks) => ({
    videoId: /ref="yt:video:([\w-]+)"/.exec(marks)?.[1] ?? '',
    when: /when="([^"]+)"/.exec(marks)?.[1] ?? '',
  }))
  const isWhole =
    entries.every((entry) => entry.videoId && entry.channelId && isDate(entry.published) && isDate(entry.updated)) &&
    tombstones.every(({ videoId, when }) => videoId && isDate(when))
  return isWhole && entries.length + tombstones.length > 0 ? { entries, tombstones } : undefined
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
