import { z } from 'zod'
import { datetime, listOf, nullableText, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { streamIds } from '../declarations.ts'

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
