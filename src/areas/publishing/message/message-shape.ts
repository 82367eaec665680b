import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { Media } from '#areas/media/asset/asset-shape.ts'
import { mediaIds } from '#areas/media/declarations.ts'
import { choice, datetime, flag, integer, listOf, nullableText, optional, shape, text } from '#kernel/wire/fields.ts'
import { alsoCalled } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { urlOrNone } from '#kernel/wire/params.ts'
import { connectedNetworks, networkSpellings } from '#networks/manifests.ts'
import { publishingIds } from '../declarations.ts'

export const Message = shape('Message', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: text,
  AccountId: text,
  CreatedBy: text,
  ModifiedBy: text,
  CampaignId: text,
  Network: choice(connectedNetworks),
  Subject: text,
  Message: text,
  Md5: text,
  ImageUrl: text,
  Description: text,
  LinkTitle: text,
  LinkUrl: text,
  Url: text,
  Clicks: integer,
  ChildClicks: integer,
  BoardClicks: integer,
  Converts: integer,
  ChildConverts: integer,
  BoardConverts: integer,
  ChildrenCount: integer,
  Picture: flag,
  IsBoardMessage: flag,
  IsAppMessage: flag,
  Type: text,
  AltTexts: nullableText,
  ApproveStatus: text,
  Media: listOf(Media),
  Tags: optional(listOf(text)),
})

export const network = params.word(connectedNetworks, networkSpellings)

export const messageDraft = z.object({
  network,
  campaignId: params.idOf(scopeIds.campaign),
  message: alsoCalled(params.text({ max: 70_000 }), 'Content'),
  linkUrl: urlOrNone.optional(),
  linkTitle: params.line({ min: 0, max: 500 }).optional(),
  description: params.line({ min: 0, max: 2000 }).optional(),
  imageUrl: urlOrNone.optional(),
  title: params.line({ min: 0, max: 400 }).optional(),
  tagIds: params.idList(publishingIds.tag).optional(),
  media: params.idList(mediaIds.media).optional(),
})
export const messageChanges = messageDraft.partial().extend({ id: params.pathId(publishingIds.message) })
export type MessageDraft = z.output<typeof messageDraft>
export type MessageChanges = z.output<typeof messageChanges>
