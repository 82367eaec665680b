import type { Mailer } from '#kernel/mail/mail.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Destination } from './destination.ts'

export const zipType = 'application/zip'

/** A complete file to deliver. */
export interface OutgoingFile {
  /** Identical for every attempt. */
  name: string
  bytes: number
  /** Reads from the start each time; fails before the end if the bytes are damaged. */
  read(): AsyncIterable<Uint8Array>
}

/** Parameters of a delivery. */
export interface Delivery {
  outbound: Outbound
  mailer: Mailer
  destination: Destination
  secret: string
  file: OutgoingFile
  /** The run, used as the email's Message-ID. */
  id: string
  now: Date
  /** Email text, and the download URL. */
  about: { subject: string; text: string; url: string }
  signal: AbortSignal
}

/** Result of a delivery. */
export interface Delivered {
  /** Of an SFTP server used for the first time. */
  hostKey?: string
}

/**
 * Delivers a file completely or not at all. Idempotent: one file of this name. Can be aborted while waiting for a
 * server.
 */
export type Deliver = (delivery: Delivery) => Promise<Delivered>

/** An error naming the host; server messages are cut to one line. */
export function failed(host: string, error: unknown): Error {
  const message = String((error as Error)?.message ?? error)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300)
  return new Error(`${host} did not take the file: ${message}`, { cause: error })
}
