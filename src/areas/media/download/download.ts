import type { OutboundHead } from '#kernel/outbound/outbound.ts'
import {
  cutShort,
  DownloadFailed,
  type DownloadInstallation,
  type DownloadRules,
  diskFull,
  refusedWith,
  rulesOf,
  TryFailed,
  tooLarge,
  translateError,
  wrongPart,
} from './download-rules.ts'
import { readContentRange, readLength, readUnsatisfied, type SourceHead, tryHead, validatorsOf } from './source-head.ts'

interface DownloadOrder {
  /** Name in the spool. */
  id: string
  url: string
  /** Validators and size, for a resumed download. */
  known?: SourceHead | undefined
}

/** Called after every stored chunk; an error ends the download. */
type ChunkStored = (downloaded: number, head: SourceHead) => Promise<void>

/** A running download. */
interface Run {
  installation: DownloadInstallation
  rules: DownloadRules
  order: DownloadOrder
  onChunk: ChunkStored
  signal: AbortSignal
  /** Number of stored bytes. */
  at: number
  head: SourceHead
}

/** The stored bytes are unusable: the download restarts with this head. */
class StartOver extends Error {
  override name = 'StartOver'
  readonly head: SourceHead

  constructor(reason: string, head: SourceHead) {
    super(reason)
    this.head = head
  }
}

/**
 * Fetches the rest of a file into the spool chunk by chunk, and returns its size. Throws DownloadFailed, errors of `onChunk`, or the
 * signal's reason; stored chunks are kept for a resumption.
 */
export async function download(
  installation: DownloadInstallation,
  order: DownloadOrder,
  onChunk: ChunkStored,
  signal: AbortSignal,
): Promise<{ bytes: number; head: SourceHead }> {
  const run = await begin(installation, order, onChunk, signal)
  for (let restarts = 0; ; restarts += 1) {
    try {
      while (!(await retried(run.rules, signal, () => fetchChunk(run))));
      return { bytes: run.at, head: run.head }
    } catch (error) {
      if (!(error instanceof StartOver)) throw error
      if (restarts === run.rules.restarts) throw changedTooOften(error, restarts + 1)
      await discard(run)
      run.head = error.head
    }
  }
}

async function begin(
  installation: DownloadInstallation,
  order: DownloadOrder,
  onChunk: ChunkStored,
  signal: AbortSignal,
): Promise<Run> {
  const rules = rulesOf(installation)
  const head = order.known ?? (await retried(rules, signal, () => tryHead(installation, order.url, { signal })))
  const size = await installation.spool.size(order.id)
  // Bytes of an unknown version, or that can't be resumed, are unusable.
  const at = order.known?.acceptsRanges ? wholeChunks(size, head.totalSize, rules.chunkBytes) : 0
  if (size > at) await installation.spool.truncate(order.id, at)
  return { installation, rules, order, onChunk, signal, at, head }
}

/** The last chunk of a seemingly complete file is fetched again: only the server can confirm the end. */
const wholeChunks = (size: number, total: number, chunk: number) =>
  Math.max(0, Math.floor(Math.min(size, total - 1) / chunk) * chunk)

const changedTooOften = (error: StartOver, times: number) =>
  new DownloadFailed(
    `${error.message} That happened ${times} times; upload it again when it is finished.`,
    false,
    error,
  )

/** Requests the next chunk and stores it; returns whether the file is complete. */
async function fetchChunk(run: Run): Promise<boolean> {
  const before = run.at
  try {
    return await requestAndStore(run)
  } catch (error) {
    if (!(error instanceof TryFailed) || run.at === before) throw error
    // Chunks before the failure are stored; the rest is requested separately, with its own retries.
    if (run.head.acceptsRanges) return false
    await discard(run)
    throw error
  }
}

async function discard(run: Run): Promise<void> {
  await run.installation.spool.truncate(run.order.id, 0)
  run.at = 0
}

async function requestAndStore(run: Run): Promise<boolean> {
  await refuseFullDisk(run)
  const { at, head, rules } = run
  const ranged = at > 0 || (head.acceptsRanges && head.totalSize > rules.chunkBytes)
  const bytes = ranged ? rules.chunkBytes : head.totalSize
  return exchange(run, ranged ? rangeHeaders(run) : {}, bytes, async (response, body) => {
    const verdict = classify(run, response, ranged)
    run.head = verdict.head
    if (verdict.kind === 'whole') return storeWhole(run, body, verdict.announced, response.headers)
    await storeBytes(run, exactly(body, verdict.bytes))
    return run.at === run.head.totalSize
  })
}

async function refuseFullDisk({ installation, rules }: Run) {
  if ((await installation.spool.free()) <= rules.chunkBytes + rules.spareBytes) throw diskFull()
}

function rangeHeaders({ at, head, rules }: Run): Record<string, string> {
  const range = `bytes=${at}-${Math.min(at + rules.chunkBytes, head.totalSize) - 1}`
  const version = at > 0 ? versionOf(head) : undefined
  return version === undefined ? { range } : { range, 'if-range': version }
}

// Weak ETags don't guarantee identical bytes, so they can't be used for If-Range.
const versionOf = ({ etag, lastModified }: SourceHead) => (etag && !etag.startsWith('W/') ? etag : lastModified)

/** Stores a file from a single response, chunk by chunk. */
async function storeWhole(
  run: Run,
  body: AsyncGenerator<Buffer>,
  announced: number | undefined,
  headers: Record<string, string>,
): Promise<boolean> {
  const promised = run.head.totalSize
  const parts = partsOf(body)
  do {
    if (run.at > 0) await refuseFullDisk(run)
    await storeBytes(run, parts.next(run.rules.chunkBytes))
  } while (!(await parts.ended()))
  // Without a size the end must be explicit, and not before the size HEAD reported.
  const marked = headers['transfer-encoding']?.toLowerCase().includes('chunked') && run.at > promised
  if (run.at !== (announced ?? promised) && !(announced === undefined && marked)) throw cutShort()
  run.head = { ...run.head, totalSize: run.at }
  return true
}

async function storeBytes(run: Run, source: AsyncIterable<Uint8Array>) {
  const { installation, order, rules, onChunk } = run
  run.at = await installation.spool.append(order.id, run.at, source, rules.maximumBytes)
  await onChunk(run.at, { ...run.head, totalSize: Math.max(run.head.totalSize, run.at) })
}

/** How a response can be used. */
type Verdict =
  | { kind: 'part'; bytes: number; head: SourceHead }
  /** Size according to this response. */
  | { kind: 'whole'; announced: number | undefined; head: SourceHead }

/** Classifies a response; throws if it is unusable. */
function classify(run: Run, response: OutboundHead, ranged: boolean): Verdict {
  if (response.status === 206 && ranged) return classifyPart(run, response)
  if (response.status === 200) return run.at === 0 ? classifyWhole(run, response, ranged) : refuseWhole(run, response)
  if (response.status === 416) return refuseEnd(run, response)
  throw refusedWith(response.status, readRetryAfter(response.headers['retry-after'], run.installation.clock.now()))
}

function classifyPart({ at, head, rules }: Run, { headers }: OutboundHead): Verdict {
  const range = readContentRange(headers)
  if (range === undefined) throw wrongPart()
  const current = { ...head, ...validatorsOf(headers), totalSize: range.total, acceptsRanges: true }
  // Before the first chunk nothing is certain: HEAD and GET may differ.
  if (at > 0 && differs(head, current)) throw changed(current)
  if (range.first !== at || range.last !== Math.min(at + rules.chunkBytes, range.total) - 1) throw wrongPart()
  if (range.total > rules.maximumBytes) throw tooLarge(rules.maximumBytes)
  const bytes = range.last - range.first + 1
  if ((readLength(headers) ?? bytes) !== bytes) throw wrongPart()
  return { kind: 'part', bytes, head: at > 0 ? head : current }
}

function classifyWhole({ head }: Run, { headers }: OutboundHead, ranged: boolean): Verdict {
  const announced = readLength(headers)
  if (announced === 0) throw new TryFailed('The file is empty.', { permanent: true })
  const advertisesRanges = ranged ? headers['accept-ranges']?.toLowerCase() === 'bytes' : head.acceptsRanges
  // Without a size it is unclear whether the rest belongs to the same file.
  const acceptsRanges = advertisesRanges && announced !== undefined
  const totalSize = announced ?? head.totalSize
  return { kind: 'whole', announced, head: { ...head, ...validatorsOf(headers), totalSize, acceptsRanges } }
}

/** The whole file instead of a range: it has changed, or the server ignores ranges. */
function refuseWhole({ head }: Run, { headers }: OutboundHead): never {
  const current = { ...head, ...validatorsOf(headers), totalSize: readLength(headers) ?? head.totalSize }
  if (differs(head, current)) throw changed(current)
  const sentence = 'The server sends the whole file where it was asked for a part of it.'
  throw new TryFailed(sentence, {
    permanent: true,
    finalError: new StartOver(sentence, { ...head, acceptsRanges: false }),
  })
}

function refuseEnd({ at, head }: Run, { headers }: OutboundHead): never {
  const totalSize = readUnsatisfied(headers) ?? head.totalSize
  if (totalSize === 0) throw new DownloadFailed('The file is empty.', true)
  if (at > 0 && totalSize !== head.totalSize) throw changed({ ...head, ...validatorsOf(headers), totalSize })
  throw wrongPart()
}

/** Missing validators don't contradict; new ones indicate another version. */
function differs(known: SourceHead, current: SourceHead): boolean {
  const contradicts = (one: string | undefined, other: string | undefined) => other !== undefined && one !== other
  if (contradicts(known.etag, current.etag) || contradicts(known.lastModified, current.lastModified)) return true
  return known.totalSize !== current.totalSize
}

const changed = (current: SourceHead) => new StartOver('The file changed on the server while it was fetched.', current)

/** Retries with increasing delays. */
async function retried<Result>(
  { retries, wait }: DownloadRules,
  signal: AbortSignal,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof TryFailed)) throw error
      if (failures === retries) throw error.finalError ?? retriesExhausted(error, failures + 1)
      await wait(Math.max(backoff(failures), Math.min(error.retryAfterMs, longestRetryAfterMs)), signal)
    }
  }
}

/** Retry-After as seconds or a date, in milliseconds from now. */
function readRetryAfter(value: string | undefined, now: Date): number {
  if (value === undefined) return 0
  const milliseconds = /^\d{1,9}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now.getTime()
  return milliseconds > 0 ? milliseconds : 0
}

// Jitter, so that failed downloads don't retry simultaneously.
const backoff = (failures: number) =>
  Math.min(firstDelayMs * 2 ** failures, longestDelayMs) * (0.75 + Math.random() / 2)

const retriesExhausted = (error: TryFailed, tries: number) =>
  new DownloadFailed(`${error.message} It was tried ${tries} times.`, error.permanent, error)

const firstDelayMs = 500
const longestDelayMs = 8_000
const longestRetryAfterMs = 60_000

type Body = AsyncGenerator<Buffer>

/** Sends one GET and aborts it when the server becomes too slow; never leaves it open. */
async function exchange<Result>(
  { installation, rules, order, signal }: Run,
  headers: Record<string, string>,
  bytes: number,
  use: (response: OutboundHead, body: Body) => Promise<Result>,
): Promise<Result> {
  const abort = new AbortController()
  const onAbort = () => abort.abort()
  signal.addEventListener('abort', onAbort, { once: true })
  let ended = false
  const tracked = async function* (body: Body): Body {
    yield* body
    ended = true
  }
  try {
    const { redirects, maximumBytes, slowestBytesPerSecond: bytesPerSecond, windowMs } = rules
    const request = { method: 'GET' as const, url: order.url, headers, redirects, maximumBytes }
    // Time for all bytes at the slowest accepted rate.
    const timeoutMs = Math.min(2 * windowMs + (bytes / bytesPerSecond) * 1_000, longestTimer)
    const pace = { bytesPerSecond, windowMs }
    const { body, ...response } = await installation.outbound.stream({
      ...request,
      timeoutMs,
      pace,
      signal: abort.signal,
    })
    return await use(response, tracked(body))
  } catch (error) {
    signal.throwIfAborted()
    throw translateError(error, rules.maximumBytes)
  } finally {
    signal.removeEventListener('abort', onAbort)
    // An unread body would keep its connection.
    if (!ended) abort.abort()
  }
}

const longestTimer = 2 ** 31 - 1

type Bytes = AsyncGenerator<Uint8Array>

/** The bytes of a body of exactly this length. */
async function* exactly(body: Bytes, bytes: number): Bytes {
  let current = 0
  for await (const chunk of body) {
    current += chunk.length
    if (current > bytes) throw wrongPart()
    yield chunk
  }
  if (current < bytes) throw cutShort()
}

interface BodyParts {
  /** The next bytes, up to the maximum. */
  next(most: number): Bytes
  ended(): Promise<boolean>
}

function partsOf(body: Bytes): BodyParts {
  let rest: Uint8Array | undefined
  const peek = async () => {
    while (rest === undefined || rest.length === 0) {
      const { done, value } = await body.next()
      if (done) return undefined
      rest = value
    }
    return rest
  }
  return {
    async *next(most) {
      for (let left = most; left > 0; ) {
        const chunk = await peek()
        if (chunk === undefined) return
        rest = chunk.subarray(left)
        left -= Math.min(left, chunk.length)
        yield chunk.subarray(0, chunk.length - rest.length)
      }
    },
    ended: async () => (await peek()) === undefined,
  }
}
