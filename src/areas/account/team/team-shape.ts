import { z } from 'zod'
import { datetime, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { accountIds } from '../declarations.ts'

export const Team = shape('Team', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Name: text,
})

/** Fields that users set; columns of the row. */
export const teamDraft = z.object({
  name: params.line(),
})
export const teamChanges = teamDraft.extend({ id: params.pathId(accountIds.team) })
export type TeamDraft = z.output<typeof teamDraft>
export type TeamChanges = z.output<typeof teamChanges>
