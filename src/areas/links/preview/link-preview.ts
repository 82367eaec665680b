import type { Context } from '#kernel/context.ts'
import { NoPlace, openFairPlaces } from '#kernel/fair-places.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { OutboundAnswer } from '#kernel/outbound/outbound.ts'
import type { Outside } from '#kernel/outside.ts'
import { type PageHead, readHead } from './page-head.ts'

export interface LinkPreview extends PageHead {
  url: string
  /** Why nothing is known of the page, in words for whoever gave its address. */
  problem: string
}

const patience = 8_000
const mostBytes = 256 * 1024
const keptFor = 10 * 60 * 1000
const mostKept = 1_000

/** Looking at pages is a help for whoever writes: few at a time, and no account has all places. */
const places = openFairPlaces({ places: 16, share: 4 })

interface Kept {
  until: number
  preview: Promise<LinkPreview>
}
/** By account and address: nobody learns from the time it takes what others link to. */
const kept = new Map<string, Kept>()

/** What the page at an address says of itself. It is asked once in a while, however many ask for it at the same moment. */
export function lookAt(outside: Outside, { url }: { url: string }): Promise<LinkPreview> {
  const { accountId, now } = outside
  const key = `${accountId} ${url}`
  const known = kept.get(key)
  if (known && known.until > now.getTime()) return known.preview
  const preview = ask(outside, url)
  kept.delete(key)
  kept.set(key, { until: now.getTime() + keptFor, preview })
  for (const [oldest] of kept) {
    if (kept.size <= mostKept) break
    kept.delete(oldest)
  }
  // What could not be seen may be there in a moment.
  const forget = () => kept.get(key)?.preview === preview && kept.delete(key)
  preview.then(({ problem }) => problem !== '' && forget(), forget)
  return preview
}

export const show = async (_context: Context, _input: unknown, preview: LinkPreview) => preview

async function ask({ outbound, accountId }: Outside, url: string): Promise<LinkPreview> {
  const nothing = (problem: string) => ({ url, title: '', description: '', imageUrl: '', siteName: '', problem })
  try {
    await places.take(accountId, { patienceMs: patience })
  } catch (error) {
    if (error instanceof NoPlace) return nothing('Too many pages are being looked at. Try again in a moment.')
    throw error
  }
  try {
    const answer = await outbound.send({
      ...{ method: 'GET', url, redirects: 5, timeoutMs: patience, maximumBytes: mostBytes },
      headers: { accept: 'text/html,application/xhtml+xml;q=0.9', 'user-agent': 'Chorus (link preview)' },
    })
    const problem = problemOf(answer)
    return problem ? nothing(problem) : { url, ...readHead(textOf(answer), answer.url), problem: '' }
  } catch (error) {
    if (error instanceof OutboundFailure) return nothing(error.message)
    throw error
  } finally {
    places.release(accountId)
  }
}

function problemOf({ status, headers }: OutboundAnswer): string {
  if (status < 200 || status > 299) return `The page answers ${status}.`
  const type = headers['content-type'] ?? ''
  return /^(text\/html|application\/xhtml\+xml)\b/i.test(type) ? '' : 'The address leads to no web page.'
}

/** In the encoding it says it has, by its header or in its first lines; UTF-8 where nobody knows that encoding. */
function textOf({ headers, body }: OutboundAnswer): string {
  const start = body.subarray(0, 2_048).toString('latin1')
  const said = charset.exec(headers['content-type'] ?? '')?.[1] ?? charset.exec(start)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(said).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}

const charset = /charset\s{0,5}=\s{0,5}["']?([\w:.-]{1,40})/i
