import { Parser } from 'htmlparser2'
import { minute } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { NoFreeSlot, openFairSemaphore } from '#kernel/fair-semaphore.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { OutboundAnswer } from '#kernel/outbound/outbound.ts'

interface LinkPreview extends PageHead {
  url: string
  /** Why the page can't be previewed, as a message for the user. */
  problem: string
}

const patience = 8_000
const mostBytes = 256 * 1024
const cacheLifetime = 10 * minute
const mostCached = 1_000

/** Previews are a convenience: limited concurrency, shared fairly between accounts. */
const slots = openFairSemaphore({ slots: 16, share: 4 })

interface CachedPreview {
  until: number
  preview: Promise<LinkPreview>
}
/** By account and URL, so that timing doesn't reveal the links of others. */
const cached = new Map<string, CachedPreview>()

/** Metadata of a page, cached; concurrent requests share one fetch. */
export function previewPage(io: ExternalIo, { url }: { url: string }): Promise<LinkPreview> {
  const { accountId, now } = io
  const key = `${accountId} ${url}`
  const known = cached.get(key)
  if (known && known.until > now.getTime()) return known.preview
  const preview = fetchPage(io, url)
  cached.delete(key)
  cached.set(key, { until: now.getTime() + cacheLifetime, preview })
  for (const [oldest] of cached) {
    if (cached.size <= mostCached) break
    cached.delete(oldest)
  }
  // A failed fetch may succeed later.
  const forget = () => cached.get(key)?.preview === preview && cached.delete(key)
  preview.then(({ problem }) => problem !== '' && forget(), forget)
  return preview
}

export const show = async (_context: Context, _input: unknown, preview: LinkPreview) => preview

async function fetchPage({ outbound, accountId }: ExternalIo, url: string): Promise<LinkPreview> {
  const nothing = (problem: string) => ({ url, title: '', description: '', imageUrl: '', siteName: '', problem })
  try {
    await slots.take(accountId, { patienceMs: patience })
  } catch (error) {
    if (error instanceof NoFreeSlot) return nothing('Too many pages are being looked at. Try again in a moment.')
    throw error
  }
  try {
    const response = await outbound.send({
      method: 'GET',
      url,
      redirects: 5,
      timeoutMs: patience,
      maximumBytes: mostBytes,
      headers: { accept: 'text/html,application/xhtml+xml;q=0.9', 'user-agent': 'Chorus (link preview)' },
    })
    const problem = problemOf(response)
    return problem ? nothing(problem) : { url, ...readHead(textOf(response), response.url), problem: '' }
  } catch (error) {
    if (error instanceof OutboundFailure) return nothing(error.message)
    throw error
  } finally {
    slots.release(accountId)
  }
}

function problemOf({ status, headers }: OutboundAnswer): string {
  if (status < 200 || status > 299) return `The page answers ${status}.`
  const type = headers['content-type'] ?? ''
  return /^(text\/html|application\/xhtml\+xml)\b/i.test(type) ? '' : 'The address leads to no web page.'
}

/** Decodes the page by its declared charset, in the header or in the first lines; UTF-8 for unknown ones. */
function textOf({ headers, body }: OutboundAnswer): string {
  const start = body.subarray(0, 2_048).toString('latin1')
  const declared = charset.exec(headers['content-type'] ?? '')?.[1] ?? charset.exec(start)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(declared).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

const charset = /charset\s{0,5}=\s{0,5}["']?([\w:.-]{1,40})/i

/** Link preview metadata of a page. */
interface PageHead {
  title: string
  description: string
  imageUrl: string
  siteName: string
}

const longestTitle = 300
const longestDescription = 1_000
const longestUrl = 2_048

/** Metadata names, best first. */
const names = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  imageUrl: ['og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image', 'twitter:image:src'],
  siteName: ['og:site_name', 'application-name'],
} as const

/** Parses the start of an untrusted page in linear time with bounded results. */
export function readHead(html: string, pageUrl: string): PageHead {
  const metadata = new Map<string, string>()
  let title = ''
  let inTitle = false
  const parser = new Parser({
    onopentag(name, { name: metaName, property, content }) {
      if (name === 'title') inTitle = title === ''
      const key = (property ?? metaName ?? '').trim().toLowerCase()
      if (name === 'meta' && content && !metadata.has(key)) metadata.set(key, content)
    },
    ontext(text) {
      if (inTitle && title.length < longestTitle) title += text
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false
    },
  })
  parser.write(html)
  const first = (of: readonly string[]) => of.map((name) => metadata.get(name)?.trim()).find((text) => text) ?? ''
  return {
    title: inOneLine(first(names.title) || title, longestTitle),
    description: inOneLine(first(names.description), longestDescription),
    imageUrl: absoluteUrl(first(names.imageUrl), pageUrl),
    siteName: inOneLine(first(names.siteName), longestTitle),
  }
}

/** Single line, truncated, without control and direction characters. */
const inOneLine = (text: string, longest: number) =>
  text
    .slice(0, longest * 2)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069\ufffd]/g, '')
    .split(' ')
    .filter((word) => word !== '')
    .join(' ')
    .slice(0, longest)
    .toWellFormed()
    .replace(/\ufffd$/, '')

function absoluteUrl(text: string, pageUrl: string): string {
  if (text === '' || text.length > longestUrl || !URL.canParse(text, pageUrl)) return ''
  const { protocol, href } = new URL(text, pageUrl)
  return (protocol === 'https:' || protocol === 'http:') && href.length <= longestUrl ? href : ''
}
