import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#kernel/clock.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Spool } from '#kernel/storage/spool.ts'

/** What a download needs of the installation. */
export interface DownloadInstallation {
  outbound: Outbound
  spool: Spool
  clock: Clock
  /** The usual ones unless told. */
  rules?: Partial<DownloadRules>
}

export interface DownloadRules {
  /** Larger files are fetched in parts of this size. */
  chunkBytes: number
  maximumBytes: number
  /** What must stay free on the disk. */
  spareBytes: number
  /** How often a part is asked for again. */
  retries: number
  /** How often a download begins anew because the file has changed. */
  restarts: number
  redirects: number
  /** A server that sends less than this in a window is given up; at this pace a file may take its time, and no more. */
  slowestBytesPerSecond: number
  windowMs: number
  /** Ends early, without an error, when the signal says so. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export const rulesOf = ({ rules }: Pick<DownloadInstallation, 'rules'>): DownloadRules => ({ ...usualRules, ...rules })

/** The largest file that can be uploaded: 8 GiB. */
export const maximumBytes = 8 * 2 ** 30

const usualRules: DownloadRules = {
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
