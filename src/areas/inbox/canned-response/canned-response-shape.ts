import { z } from 'zod'
import { choice, datetime, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { inboxIds } from '../declarations.ts'

const visibilities = ['shared', 'private'] as const

const Author = shape('CannedResponseAuthor', { Id: text, Name: text, Email: text })

export const CannedResponse = shape('CannedResponse', {
  ID: text,
  Name: text,
  Content: text,
  Visibility: choice(visibilities),
  Created: datetime,
  CreatedBy: Author,
})

/** Writable columns. */
const written = z.object({
  name: params.line({ max: 64 }),
  content: params.text({ min: 1, max: 10_000 }),
  visibility: params.choice(visibilities).optional(),
})

export const cannedResponseDraft = written
export const cannedResponseChanges = written.partial().extend({ id: params.pathId(inboxIds.cannedResponse) })
export type CannedResponseDraft = z.output<typeof cannedResponseDraft>
export type CannedResponseChanges = z.output<typeof cannedResponseChanges>
