import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#kernel/clock.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Spool } from '#kernel/storage/spool.ts'

/** Dependencies of a download. */
export interface DownloadInstallation {
  outbound: Outbound
  spool: Spool
  clock: Clock
  /** Defaults apply otherwise. */
  rules?: Partial<DownloadRules>
}

export interface DownloadRules {
  /** Larger files are fetched in chunks of this size. */
  chunkBytes: number
  maximumBytes: number
  /** Minimum free disk space. */
  spareBytes: number
  /** Retries per chunk. */
  retries: number
  /** Restarts because the file has changed. */
  restarts: number
  redirects: number
  /** A slower server is abandoned after one window; also determines the total timeout. */
  slowestBytesPerSecond: number
  windowMs: number
  /** Resolves early when aborted. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export const rulesOf = ({ rules }: Pick<DownloadInstallation, 'rules'>): DownloadRules => ({
  ...defaultRules,
  ...rules,
})

/** The largest file that can be uploaded: 8 GiB. */
const maximumBytes = 8 * 2 ** 30

const defaultRules: DownloadRules = {
  chunkBytes: 10 * 2 ** 20,
  maximumBytes,
  spareBytes: 256 * 2 ** 20,
  retries: 5,
  restarts: 3,
  redirects: 3,
  slowestBytesPerSecond: 16 * 1_024,
  windowMs: 30_000,
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => {}),
}

/** A failed download; the message is shown to the user. */
export class DownloadFailed extends Error {
  override name = 'DownloadFailed'
  /** False if a later retry could succeed. */
  readonly permanent: boolean

  constructor(message: string, permanent: boolean, cause?: unknown) {
    super(message, { cause })
    this.permanent = permanent
  }
}

/** A failed attempt; the next one may succeed. */
export class TryFailed extends Error {
  override name = 'TryFailed'
  readonly permanent: boolean
  /** Delay requested by the server. */
  readonly retryAfterMs: number
  /** The error to throw after the last attempt. */
  readonly finalError: Error | undefined

  constructor(message: string, options: { permanent?: boolean; retryAfterMs?: number; finalError?: Error } = {}) {
    super(message)
    this.permanent = options.permanent ?? false
    this.retryAfterMs = options.retryAfterMs ?? 0
    this.finalError = options.finalError
  }
}

/** Translates the error of an attempt; errors of neither server nor disk stay unchanged. */
export function translateError(error: unknown, maximumBytes: number): unknown {
  if (diskCodes.has(codeOf(error))) return diskFull(error)
  if (!(error instanceof OutboundFailure)) return error
  if (error.kind === 'too-large') return tooLarge(maximumBytes)
  if (error.kind === 'refused-address') return new DownloadFailed(error.message, true, error)
  if (error.kind === 'aborted') return new DownloadFailed(error.message, false, error)
  if (error.kind === 'slow') return new TryFailed('The server sends the file too slowly.')
  return new TryFailed(error.message, { permanent: error.kind === 'protocol' })
}

export function refusedWith(status: number, retryAfterMs?: number): TryFailed {
  const permanent = status < 500 && !transientStatuses.has(status)
  return new TryFailed(`The server answered ${status}${reasonFor(status)}.`, { permanent, retryAfterMs })
}

export const tooLarge = (maximumBytes: number) =>
  new DownloadFailed(`The file is larger than ${inUnits(maximumBytes)}, the most an upload can have.`, true)

export const diskFull = (cause?: unknown) =>
  new DownloadFailed('The disk of the service is full; try again when there is room on it.', false, cause)

export const wrongPart = () =>
  new TryFailed('The server sent another part of the file than it was asked for.', { permanent: true })

export const cutShort = () => new TryFailed('The server stopped in the middle of the file.')

const diskCodes = new Set(['ENOSPC', 'EDQUOT'])

const codeOf = (error: unknown) => String(((error as Error | undefined)?.cause as { code?: unknown } | undefined)?.code)

const transientStatuses = new Set([408, 425, 429])

function reasonFor(status: number): string {
  if (status === 404 || status === 410) return ': the file is not there'
  if (status === 401 || status === 403) return ': the file is not public'
  if (status === 429) return ': it is asked for too much at the moment'
  return status >= 500 ? ': it is out of order at the moment' : ' instead of sending the file'
}

function inUnits(bytes: number): string {
  const [unit, size] = units.find(([, size]) => bytes >= size && bytes % size === 0) ?? ['bytes', 1]
  return `${bytes / size} ${unit}`
}

const units = [
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
] as const
