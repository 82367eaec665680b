import { z } from 'zod'
import { roles } from '#kernel/permissions.ts'
import { choice, columnsOf, datetime, flag, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { accountIds } from '../declarations.ts'

export const userStatuses = ['active', 'disabled'] as const

export const User = shape('User', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: choice(userStatuses),
  Name: text,
  FirstName: text,
  LastName: text,
  Email: text,
  LastLogin: zeroDatetime,
  LastBoardLogin: zeroDatetime,
  HasBrowserExtension: flag,
  LinkedInId: text,
  LinkedInName: text,
  LinkedInImageUrl: text,
  TwitterId: text,
  TwitterName: text,
  TwitterImageUrl: text,
  FacebookId: text,
  FacebookName: text,
  FacebookImageUrl: text,
  Timezone: text,
})
export const UserInList = shape('UserInList', {
  Id: text,
  Name: text,
  Email: text,
  LastLogin: zeroDatetime,
  Role: choice(roles),
  Timezone: text,
})

export const listedColumns = columnsOf(UserInList)

/** Fields that are written; columns of the row, except for the password. */
const name = params.line({ max: 64 })
const written = z.object({
  firstName: name,
  lastName: name,
  email: params.email,
  password: params.secret(),
  timezone: params.timezone.optional(),
})

export const userDraft = written.extend({ role: params.choice(roles) })
export const userChanges = written.partial().extend({ id: params.pathId(accountIds.user) })
export type UserDraft = z.output<typeof userDraft>
export type UserChanges = z.output<typeof userChanges>
