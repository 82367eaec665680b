import type { Mailer } from '#kernel/mail/mail.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Destination } from './destination.ts'

/** What every file is. */
export const zipType = 'application/zip'

/** A whole file that is to be brought somewhere. */
export interface OutgoingFile {
  /** The same at every try. */
  name: string
  bytes: number
  /** From its beginning, as often as it is asked for; fails before its end where the bytes are not those that were written. */
  read(): AsyncIterable<Uint8Array>
}

/** What a delivery works with. */
export interface Delivery {
  outbound: Outbound
  mailer: Mailer
  destination: Destination
  secret: string
  file: OutgoingFile
  /** The run, by which a mail is known however often it is sent. */
  id: string
  now: Date
  /** What is written of the file, and where else it can be fetched. */
  about: { subject: string; text: string; url: string }
  signal: AbortSignal
}

/** What was learned on the way. */
export interface Delivered {
  /** Of an SFTP server that was met for the first time. */
  hostKey?: string
}

/**
 * Brings a file there, whole or not at all. Done again it leads to the same: one file of this name. Where somebody has to wait for a
 * server, an abort ends it.
 */
export type Deliver = (delivery: Delivery) => Promise<Delivered>

/** A sentence that says whose fault it was; what a server says of itself is cut to a line. */
export function failed(host: string, error: unknown): Error {
  const said = String((error as Error)?.message ?? error)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300)
  return new Error(`${host} did not take the file: ${said}`, { cause: error })
}
