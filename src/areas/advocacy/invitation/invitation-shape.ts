import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { choice, datetime, integer, json, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { param, refuseWhole } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { entryList } from '#kernel/wire/structured-params.ts'
import { boardRoles } from '../board/board-shape.ts'

export const InvitedAdvocate = shape('InvitedAdvocate', { Id: text, Name: text, Email: text })

/** A rejected entry: its index, its values, and why. */
export const InvitationError = shape('InvitationError', {
  Id: integer,
  Data: json,
  ErrorField: text,
  ErrorMessage: text,
})

/** `waiting`: the address is confirmed, but all seats are taken. */
export const BoardSignUp = shape('BoardSignUp', {
  Id: text,
  Email: text,
  FirstName: text,
  LastName: text,
  Created: datetime,
  Confirmed: zeroDatetime,
  Ends: datetime,
  Status: choice(['unconfirmed', 'waiting']),
})

const name = params.line({ max: 32 }).optional()
const role = params.word(boardRoles).optional()
const userId = params.idOf(accountIds.user).optional()

/** As worded in the contract. */
const email = param({ type: 'string', format: 'email', maxLength: 254 }, (raw) => {
  const { success, data } = params.email.safeParse(raw)
  return success ? data : refuseWhole('Invalid email address')
})

const about = z.object({
  boardId: params.idOf(scopeIds.board),
  message: params.text({ max: 1024 }).optional(),
})

export const invitation = about.extend({
  email: params.email.optional(),
  userId,
  firstName: name,
  lastName: name,
  role,
})
export const invitations = about.extend({
  users: entryList(z.object({ email: email.optional(), userId, firstName: name, lastName: name, role }), {
    min: 1,
    max: 100,
  }),
})
export type Invitation = z.output<typeof invitation>
export type Invitations = z.output<typeof invitations>
