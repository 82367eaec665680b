import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { profileKey } from '#areas/profiles/declarations.ts'
import {
  choice,
  datetime,
  flag,
  integer,
  listOf,
  nullableText,
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { connectedNetworks, networkNames, networkSpellings } from '#networks/manifests.ts'
import { advocacyIds } from '../declarations.ts'

export const shareStatuses = ['pending', 'complete', 'error'] as const

export const Share = shape('Share', {
  Id: text,
  Created: datetime,
  BoardId: text,
  StoryId: text,
  MessageId: text,
  CampaignId: text,
  CredentialId: text,
  Network: text,
  Type: text,
  Message: text,
  LinkUrl: text,
  StartDateTime: datetime,
  Status: choice(shareStatuses),
  IsLate: flag,
  IsUnconfirmed: flag,
  RemoteUrl: text,
  Error: text,
  PublishedDate: zeroDatetime,
  Clicks: integer,
  Converts: integer,
})

/** An advocate's text of a story for a network. */
export const Offer = shape('Offer', {
  StoryId: text,
  Network: text,
  MessageId: text,
  Message: text,
  LinkUrl: text,
  LinkTitle: text,
  Description: text,
  ImageUrl: text,
  MediaIds: listOf(text),
})

const SharedOn = shape('SharedOn', { CredentialId: text, Network: text, Status: choice(shareStatuses) })

/** A story as seen by an advocate. */
export const BoardStory = shape('BoardStory', {
  Id: text,
  Title: nullableText,
  Description: text,
  Type: text,
  ImageUrl: nullableText,
  LinkTitle: nullableText,
  LinkUrl: nullableText,
  LinkDescription: nullableText,
  PublishDate: datetime,
  ExpirationDate: datetime,
  IsFeatured: flag,
  IsRepost: flag,
  ShareCount: integer,
  Topics: listOf(text),
  /** Whether it has a topic selected by the advocate. */
  IsOfMyTopics: flag,
  /** Networks with messages. */
  Networks: listOf(text),
  Shared: listOf(SharedOn),
})

export const OwnProfile = shape('OwnProfile', {
  Id: text,
  Created: datetime,
  Network: choice(networkNames),
  Name: text,
  DisplayName: text,
  NetworkUsername: text,
  ImageLink: text,
  Status: choice(['valid', 'invalid']),
  StatusReason: text,
})

const board = { id: params.pathId(scopeIds.board), storyId: params.idOf(advocacyIds.story) }

export const shareDraft = z.object({
  ...board,
  credentialIds: params.idsOf(profileKey, { max: 100 }),
  message: params.text({ max: 70_000 }).optional(),
  startDateTime: momentOrNone.optional(),
})
export type ShareDraft = z.output<typeof shareDraft>

export const offerWish = z.object({ ...board, network: params.word(connectedNetworks, networkSpellings) })
export type OfferWish = z.output<typeof offerWish>
