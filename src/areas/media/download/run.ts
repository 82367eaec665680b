import type { DownloadInstallation, DownloadRules } from './download-rules.ts'
import type { SourceHead } from './source-head.ts'

export interface DownloadOrder {
  /** Its name in the spool. */
  id: string
  url: string
  /** What was known before: validators and total, for a download that continues. */
  known?: SourceHead | undefined
}

/** Told after every part that is safe; what it throws ends the download. */
export type Kept = (downloaded: number, head: SourceHead) => Promise<void>

/** One download under way. */
export interface Run {
  installation: DownloadInstallation
  rules: DownloadRules
  order: DownloadOrder
  kept: Kept
  signal: AbortSignal
  /** How many bytes are safe. */
  at: number
  head: SourceHead
}

/** Thrown when what is there is of no use any more: the download begins anew, with this in mind. */
export class StartOver extends Error {
  override name = 'StartOver'
  readonly head: SourceHead

  constructor(reason: string, head: SourceHead) {
    super(reason)
    this.head = head
  }
}
