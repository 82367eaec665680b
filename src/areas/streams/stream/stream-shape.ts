import { z } from 'zod'
import { profileKey } from '#areas/profiles/declarations.ts'
import {
  choice,
  columnsOf,
  datetime,
  integer,
  listOf,
  nullableText,
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { networkNames, networkSpellings, streamNetworks } from '#networks/manifests.ts'
import { streamIds } from '../declarations.ts'

export const StreamTab = shape('StreamTab', {
  Id: text,
  Name: text,
  Status: text,
  Created: datetime,
})

export const streamTabColumns = columnsOf(StreamTab)

export const streamTabDraft = z.object({ name: params.line({ max: 128 }) })
export const streamTabChanges = streamTabDraft.extend({ id: params.pathId(streamIds.streamTab) })
export type StreamTabDraft = z.output<typeof streamTabDraft>
export type StreamTabChanges = z.output<typeof streamTabChanges>

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
const largestPosition = 1_000_000_000
export const position = params.count(-largestPosition, largestPosition)

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

/** An item of a network; its ids are the network's. */
const StreamItem = shape('StreamItem', {
  Id: text,
  Kind: text,
  At: datetime,
  PostId: text,
  Person: shape('StreamPerson', { Id: text, Name: text, Username: text, Picture: text }),
  Text: text,
  Media: listOf(text),
  Url: text,
})

/** Items of a stream, the time of the last fetch, and why there is nothing newer. */
export const streamContent = parts({
  Items: listOf(StreamItem),
  Next: nullableText,
  Fetched: zeroDatetime,
  Error: text,
})

export const streamItemSearch = z.object({
  id: params.pathId(streamIds.stream),
  _after: params.line({ min: 0, max: 10 }).optional(),
  _count: params.count(1, 100).optional(),
})
export type StreamItemSearch = z.output<typeof streamItemSearch>
