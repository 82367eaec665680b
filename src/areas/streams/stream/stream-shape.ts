import { z } from 'zod'
import { profileKey } from '#areas/profiles/declarations.ts'
import { choice, columnsOf, datetime, integer, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { networkNames, networkSpellings, streamNetworks } from '#networks/manifests.ts'
import { streamIds } from '../declarations.ts'

export const Stream = shape('Stream', {
  Id: text,
  Created: datetime,
  Name: text,
  Network: choice(streamNetworks),
  Type: text,
  StreamTabId: text,
  CredentialId: text,
  Position: integer,
})

export const streamColumns = columnsOf(Stream)

/** Sufficient range for repeated insertion before the first. */
const farthest = 1_000_000_000
export const position = params.count(-farthest, farthest)

export const streamDraft = z.object({
  network: params.word(networkNames, networkSpellings),
  credentialId: params.idOf(profileKey),
  type: params.line({ max: 40 }),
  keyword: params.line({ min: 0, max: 500 }).optional(),
  streamTabId: params.idOf(streamIds.streamTab),
  position: position.optional(),
})
export const streamChanges = z.object({ id: params.pathId(streamIds.stream), position })
export type StreamDraft = z.output<typeof streamDraft>
export type StreamChanges = z.output<typeof streamChanges>
