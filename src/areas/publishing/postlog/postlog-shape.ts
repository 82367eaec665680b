import { choice, datetime, listOf, shape, text } from '#kernel/wire/fields.ts'

export const Postlog = shape('Postlog', {
  Id: text,
  PostId: text,
  CampaignId: text,
  MessageId: text,
  CredentialId: text,
  LinkId: text,
  LinkIds: listOf(text),
  Created: datetime,
  Modified: datetime,
  Status: choice(['success', 'failed']),
  Network: text,
  RemoteId: text,
  RemoteUrl: text,
  Error: text,
})
