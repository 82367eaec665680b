import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { choice, datetime, flag, listOf, shape, text } from '#kernel/wire/fields.ts'
import { objectSchema, param, readLine, refuse } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'

const Option = shape(undefined, { Id: text, Name: text })

/** An advocate's settings on a board. */
export const BoardSettings = shape('OwnBoardSettings', {
  BoardId: text,
  Role: choice(['contributor', 'manager']),
  FirstName: text,
  LastName: text,
  Email: text,
  WantsDigest: flag,
  CustomFields: listOf(shape('AskedField', { Id: text, Name: text, Options: listOf(Option), Value: text })),
})

export const TopicChoice = shape('TopicChoice', {
  Id: text,
  Name: text,
  Created: datetime,
  IsChosen: flag,
  IsNew: flag,
})

const name = params.line({ max: 32 }).optional()

/** Selected options: option id by field id. */
const answers = param<{ [field: string]: string }>(
  objectSchema({ additionalProperties: { type: 'string', maxLength: 255 } }),
  (raw) => {
    const object = typeof raw === 'string' ? parsed(raw) : raw
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return refuse('must be an object')
    const entries = Object.entries(object)
    if (entries.length > 50) refuse('must not hold more than 50 answers')
    return Object.fromEntries(entries.map(([field, value]) => [field, readLine(value ?? '', 0, 255)]))
  },
)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('must be an object')
  }
}

export const memberChanges = z.object({
  id: params.pathId(scopeIds.board),
  wantsDigest: params.flag.optional(),
  firstName: name,
  lastName: name,
  customFields: answers.optional(),
})
export type MemberChanges = z.output<typeof memberChanges>
