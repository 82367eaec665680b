import { z } from 'zod'
import { Media } from '#areas/media/asset/asset-shape.ts'
import { invalid } from '#kernel/errors.ts'
import { datetime, integer, listOf, nullableText, optional, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { flagSchema, param } from '#kernel/wire/parameter.ts'
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
