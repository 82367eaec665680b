import { z } from 'zod'
import { choice, datetime, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'

/** Screens with saved filters. */
export const viewedScreens = ['calendar', 'campaigns'] as const

export const SavedView = shape('SavedView', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Screen: choice(viewedScreens),
  Name: text,
  Search: text,
})

export const savedViewDraft = z.object({
  screen: params.choice(viewedScreens),
  name: params.line({ max: 64 }),
  search: params.line({ min: 0, max: 2000 }),
})
export type SavedViewDraft = z.output<typeof savedViewDraft>
