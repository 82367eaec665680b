import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { Media } from '#areas/media/asset/asset-shape.ts'
import { invalid } from '#kernel/errors.ts'
import {
  choice,
  datetime,
  flag,
  integer,
  listOf,
  nullableText,
  optional,
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import { flagSchema, objectSchema, param, readLine, refuse } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { NamedOption } from '../board/board-shape.ts'

const AdvocateProfile = shape('AdvocateProfile', {
  Id: text,
  Created: datetime,
  Name: text,
  Status: text,
  Network: text,
  ImageLink: text,
  NetworkUsername: text,
})

const LatestShare = shape('LatestShare', {
  Id: text,
  Created: datetime,
  CreatedBy: text,
  Network: text,
  CredentialId: text,
  CredentialImage: text,
  Message: text,
  ImageUrl: text,
  LinkUrl: text,
  LinkTitle: text,
  Description: text,
  Picture: nullableText,
  Type: text,
  Media: listOf(Media),
  StartDateTime: datetime,
  EndDateTime: zeroDatetime,
  Status: text,
  Source: text,
  TargetGeo: text,
})

export const Advocate = shape('Advocate', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: text,
  Name: text,
  FirstName: text,
  LastName: text,
  Email: text,
  PictureUrl: nullableText,
  LastBoardLogin: zeroDatetime,
  Profiles: listOf(AdvocateProfile),
  BoardIds: listOf(text),
  Topics: optional(listOf(text)),
  LatestShares: optional(listOf(LatestShare)),
})

const Leaderboard = shape('AdvocateLeaderboard', { Id: text, Name: text, Rank: integer, Points: integer, Period: text })

const ChosenOption = shape('ChosenOption', { FieldId: text, FieldName: text, Option: NamedOption })

export const ListedAdvocate = shape('ListedAdvocate', {
  Id: text,
  Name: text,
  Email: text,
  PictureUrl: nullableText,
  LastBoardLogin: zeroDatetime,
  LastSeen: optional(zeroDatetime),
  Shares: optional(integer),
  RoleId: optional(text),
  Role: optional(text),
  CustomFields: optional(listOf(ChosenOption)),
  Leaderboards: optional(listOf(Leaderboard)),
})

/** Filters that apply with a board only: ignored without one, whatever their value. */
const unread = (schema: object) => param<unknown, unknown>({ ...schema }, (raw) => raw).optional()
const days = { type: 'integer', minimum: 1, maximum: 365, description: 'Number of days; applied only with boardId.' }

export const activityFilters = {
  lastSeen: unread(days),
  notSeen: unread(days),
  neverSeen: unread({ ...flagSchema, description: 'Applied only with boardId.' }),
}

const activity = z.object({
  lastSeen: params.count(1, 365).optional(),
  notSeen: params.count(1, 365).optional(),
  neverSeen: params.flag.optional(),
})
export type Activity = z.output<typeof activity>

export function readActivity(given: { boardId?: string | undefined; [filter: string]: unknown }): Activity {
  if (!given.boardId) return {}
  const { success, data, error } = activity.safeParse(given)
  if (success) return data
  const { path = [], message = '' } = error.issues[0] ?? {}
  throw invalid(`${path.join('.')} ${message}.`)
}

const Option = shape(undefined, { Id: text, Name: text })

/** An advocate's settings on a board. */
export const OwnBoardSettings = shape('OwnBoardSettings', {
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
const chosenOptions = param<{ [field: string]: string }>(
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
  customFields: chosenOptions.optional(),
})
export type MemberChanges = z.output<typeof memberChanges>
