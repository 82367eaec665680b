import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { sampleIds, sampleReferences } from '#areas/events/event-type.ts'
import {
  choice,
  datetime,
  integer,
  listOf,
  optional,
  sampleOf,
  shape,
  text,
  wireForm,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import { param, refuse, scalar } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNull, urlOrNone } from '#kernel/wire/params.ts'
import { publishingIds } from '../declarations.ts'

export const campaignStatuses = ['active', 'complete', 'paused', 'archived'] as const

export const Campaign = shape('Campaign', {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Name: text,
  Status: choice(campaignStatuses),
  AccountId: text,
  CreatedBy: text,
  ModifiedBy: text,
  Url: text,
  Color: text,
  ShortUrl: text,
  StartDate: zeroDatetime,
  EndDate: zeroDatetime,
  LastConversionDate: zeroDatetime,
  LastCommentFound: zeroDatetime,
  SendSummary: integer,
  Clicks: integer,
  ChildClicks: integer,
  BoardClicks: integer,
  Converts: integer,
  ChildConverts: integer,
  BoardConverts: integer,
  Comments: integer,
  NewComments: integer,
  Likes: integer,
  TotalMessages: integer,
  TotalPosts: integer,
  TotalPendingPosts: integer,
  TotalDraftPosts: integer,
  SFDCCampaignId: text,
  SFDCCampaignName: text,
  SFDCCampaignOption: text,
  Utm: text,
  Tags: optional(listOf(text)),
})

export const ListedCampaign = shape('ListedCampaign', {
  Id: text,
  Name: text,
  TotalPosts: integer,
  TotalPendingPosts: integer,
  TotalDraftPosts: integer,
  Clicks: integer,
  Converts: integer,
  Created: datetime,
  Status: choice(campaignStatuses),
  Comments: integer,
  PostsSent: integer,
  Tags: optional(listOf(text)),
})

export const TableCampaign = shape('TableCampaign', {
  Id: text,
  Name: text,
  Status: choice(campaignStatuses),
  Color: text,
  Created: datetime,
  StartDate: zeroDatetime,
  EndDate: zeroDatetime,
  TotalPosts: integer,
  TotalPendingPosts: integer,
  TotalDraftPosts: integer,
  PostsSent: integer,
  Clicks: integer,
  Converts: integer,
  Comments: integer,
  Likes: integer,
  Tags: listOf(text),
  Teams: listOf(shape(undefined, { Id: text, Name: text })),
})

/** Fields that users set; columns of the row. */
const written = z.object({
  name: params.line(),
  url: urlOrNone.optional(),
})
const tagIds = params.idList(publishingIds.tag).optional()

export const campaignDraft = written.extend({ tagIds })
export const campaignChanges = written.partial().extend({
  id: params.pathId(scopeIds.campaign),
  tagIds,
  status: params.word(['active', 'paused', 'archived']).optional(),
})
const color = param({ type: 'string', description: 'Such as #2456D6.' }, (raw) => {
  const value = scalar(raw).trim()
  return /^#[0-9a-f]{6}$/i.test(value) ? value.toUpperCase() : refuse('must be a colour such as #2456D6')
})
/** Fields that the console sets beyond the public contract. */
export const campaignColorAndEnd = z.object({
  id: params.pathId(scopeIds.campaign),
  color: color.optional(),
  endDate: momentOrNull.optional(),
})
export type CampaignDraft = z.output<typeof campaignDraft>
export type CampaignChanges = z.output<typeof campaignChanges>

/** The payload of `newCampaign`. */
export const campaignPayload = wireForm(Campaign)

export const campaignSamples = {
  newCampaign: sampleOf(Campaign, {
    ...sampleReferences,
    Id: sampleIds.campaign,
    Name: 'Spring on foot',
    Url: 'https://www.example.com/spring',
    ShortUrl: 'https://go.example.com/spring',
    Color: '#2F6F4E',
    StartDate: '2026-03-01 00:00:00',
  }),
}
