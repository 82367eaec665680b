import { choice, datetime, integer, shape, text } from '#kernel/wire/fields.ts'

export const draftKinds = ['post', 'reply', 'note'] as const

const about = {
  Id: text,
  Kind: choice(draftKinds),
  Title: text,
  Created: datetime,
  Modified: datetime,
  Version: integer,
}

/** Without the content, for lists. */
export const DraftAbout = shape('DraftAbout', about)

export const Draft = shape('Draft', { ...about, Content: text })
