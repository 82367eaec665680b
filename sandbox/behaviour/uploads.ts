import type { Json, Network } from '../state/rows.ts'

/** A file on its way in, in parts. */
export interface Upload {
  id: string
  network: Network
  profile: string
  mime?: string
  size?: number
  /** By offset or by segment number, whichever the network counts in. */
  parts: Map<number, Buffer>
  extra: { [name: string]: Json | undefined }
}

export function joined(upload: Upload): Buffer {
  return Buffer.concat([...upload.parts].sort(([left], [right]) => left - right).map(([, part]) => part))
}

export function received(upload: Upload): number {
  let total = 0
  for (const part of upload.parts.values()) total += part.length
  return total
}
