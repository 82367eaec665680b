import { Refusal } from '#kernel/errors.ts'
import { openFairSemaphore } from '#kernel/fair-semaphore.ts'
import type { OutboundHead } from '#kernel/outbound/outbound.ts'
import {
  DownloadFailed,
  type DownloadInstallation,
  refusedWith,
  rulesOf,
  TryFailed,
  tooLarge,
  translateError,
} from './download-rules.ts'
import { mimeIn, nameIn } from './file-name.ts'

/** Metadata of a remote file. */
export interface SourceHead {
  totalSize: number
  etag?: string | undefined
  lastModified?: string | undefined
  mimeType?: string | undefined
  name?: string | undefined
  acceptsRanges: boolean
}

/** A subset: nothing is stored yet. */
type HeadInstallation = Pick<DownloadInstallation, 'outbound' | 'rules'>

interface HeadOptions {
  timeoutMs?: number
  signal?: AbortSignal
}

/** Requests metadata of a URL; throws DownloadFailed if it isn't a downloadable file. */
export async function requestHead(
  installation: HeadInstallation,
  url: string,
  options: HeadOptions = {},
): Promise<SourceHead> {
  return tryHead(installation, url, options).catch((error: unknown) => {
    throw error instanceof TryFailed ? final(error) : error
  })
}

/** The same for one of several attempts: permanent errors are final. */
export async function tryHead(
  installation: HeadInstallation,
  url: string,
  options: HeadOptions = {},
): Promise<SourceHead> {
  const { maximumBytes } = rulesOf(installation)
  try {
    const head = (await withHead(installation, url, options)) ?? (await withOneByte(installation, url, options))
    if (head.totalSize > maximumBytes) throw tooLarge(maximumBytes)
    return head
  } catch (error) {
    options.signal?.throwIfAborted()
    const reason = translateError(error, maximumBytes)
    throw reason instanceof TryFailed && reason.permanent ? final(reason) : reason
  }
}

const final = (error: TryFailed) => new DownloadFailed(error.message, error.permanent, error)

/** Undefined if the server doesn't answer HEAD with a size. */
async function withHead(
  installation: HeadInstallation,
  url: string,
  options: HeadOptions,
): Promise<SourceHead | undefined> {
  const { redirects } = rulesOf(installation)
  const response = await installation.outbound.send({
    timeoutMs: headTimeoutMs,
    ...options,
    method: 'HEAD',
    url,
    redirects,
  })
  if (statusesWithoutHead.has(response.status)) return undefined
  if (response.status !== 200) throw refusedWith(response.status)
  const length = readLength(response.headers)
  // Servers that don't know the size send 0.
  return length ? headOf(response, length, response.headers['accept-ranges']?.toLowerCase() !== 'none') : undefined
}

async function withOneByte(installation: HeadInstallation, url: string, options: HeadOptions): Promise<SourceHead> {
  const abort = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, abort.signal]) : abort.signal
  const { redirects } = rulesOf(installation)
  const request = { method: 'GET' as const, url, redirects, headers: { range: 'bytes=0-0' } }
  try {
    const response = await installation.outbound.stream({ timeoutMs: headTimeoutMs, ...options, ...request, signal })
    const { status, headers } = response
    if (status !== 200 && status !== 206 && status !== 416) throw refusedWith(response.status)
    const sizes = { 200: readLength(headers), 206: readContentRange(headers)?.total, 416: readUnsatisfied(headers) }
    const size = sizes[status]
    if (size === undefined) throw new DownloadFailed('The server does not say how large the file is.', true)
    if (size === 0) throw new DownloadFailed('The file is empty.', true)
    return headOf(response, size, status === 206)
  } finally {
    // The body isn't needed.
    abort.abort()
  }
}

function headOf({ headers, url }: OutboundHead, totalSize: number, acceptsRanges: boolean): SourceHead {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity') throw new DownloadFailed(compressedMessage, true)
  if (/^text\/html/i.test(headers['content-type'] ?? '')) throw new DownloadFailed(webPageMessage, true)
  const name = nameIn(url, headers)
  return { totalSize, acceptsRanges, name, mimeType: mimeIn(headers, name), ...validatorsOf(headers) }
}

/** Validators of a version. */
export const validatorsOf = (headers: Readonly<Record<string, string | undefined>>) => ({
  etag: headers.etag,
  lastModified: headers['last-modified'],
})

const headTimeoutMs = 15_000

// 403 because URLs signed for GET reject other methods.
const statusesWithoutHead = new Set([403, 405, 501])

const compressedMessage = 'The server sends the file compressed although it was asked not to.'
const webPageMessage = 'The address leads to a web page, not to a file; give the address of the file itself.'

type Headers = Readonly<Record<string, string | undefined>>

interface ContentRange {
  first: number
  last: number
  total: number
}

/** Content-Range of a response; undefined if incomplete. */
export function readContentRange(headers: Headers): ContentRange | undefined {
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(headers['content-range'] ?? '') ?? []
  return total === undefined ? undefined : { first: Number(first), last: Number(last), total: Number(total) }
}

/** Size according to a 416 response. */
export function readUnsatisfied(headers: Headers): number | undefined {
  const [, total] = /^bytes \*\/(\d{1,15})$/i.exec(headers['content-range'] ?? '') ?? []
  return total === undefined ? undefined : Number(total)
}

export function readLength(headers: Headers): number | undefined {
  const length = headers['content-length'] ?? ''
  return /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

/** Requests that wait for an external server; per account, and in total. */
const slots = openFairSemaphore({ slots: 64, share: 8 })

/** Runs a request to an external server while the caller waits, within the concurrency limit. */
export async function withRequestSlot<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
  if (!slots.tryTake(accountId)) throw tooManyRequests()
  try {
    return await work()
  } finally {
    slots.release(accountId)
  }
}

const tooManyRequests = () =>
  new Refusal('limited', 'Too many addresses are being fetched at the moment. Try again in a few seconds.', {
    retryAfter: 5,
  })
