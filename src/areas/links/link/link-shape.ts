import { datetime, integer, json, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'

/** Public fields of a link. */
export const PublicLink = shape('PublicLink', {
  Created: datetime,
  Hash: text,
  LongUrl: text,
  FinalUrl: text,
  Params: json,
  ShortUrl: text,
})

const fields = {
  Id: text,
  Created: datetime,
  Modified: datetime,
  AccountId: text,
  CampaignId: text,
  MessageId: text,
  PostId: text,
  PostlogId: text,
  Hash: text,
  LongUrl: text,
  ShortUrl: text,
  Clicks: integer,
  Converts: integer,
  CredentialId: text,
}

export const Link = shape('Link', fields)

/** As in the console. */
export const SwitchedLink = shape('SwitchedLink', { ...fields, Disabled: zeroDatetime, DisabledReason: text })

export const LinkChange = shape('LinkChange', {
  Id: text,
  At: datetime,
  UserId: text,
  What: text,
  Before: text,
  After: text,
})
