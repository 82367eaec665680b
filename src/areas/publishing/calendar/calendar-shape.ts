import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { profileKey } from '#areas/profiles/declarations.ts'
import {
  choice,
  datetime,
  flag,
  integer,
  listOf,
  longList,
  longMap,
  optional,
  shape,
  text,
  unixTime,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { moment, momentOrNone } from '#kernel/wire/params.ts'
import { filters, ids, words } from '#kernel/wire/structured-params.ts'
import { connectedNetworks, networkNames, networkSpellings } from '#networks/manifests.ts'
import { campaignStatuses } from '../campaign/campaign-shape.ts'
import { publishingIds } from '../declarations.ts'
import { approveStatuses, postSources, postStatuses } from '../post/post-shape.ts'
import { troubles } from './calendar-posts.ts'

export const CustomEvent = shape('CustomEvent', {
  ID: text,
  Created: datetime,
  Modified: datetime,
  AccountID: text,
  Title: text,
  Description: text,
  Color: text,
  StartDateTime: datetime,
  EndDateTime: datetime,
  Campaigns: listOf(shape(undefined, { Id: text, Name: text })),
})

export const customEventDraft = z.object({
  title: params.line({ max: 80 }),
  description: params.text({ max: 20_000 }).optional(),
  startDate: moment,
  endDate: momentOrNone.optional(),
  campaignIds: params.idList(scopeIds.campaign).optional(),
})
export const customEventChanges = customEventDraft.partial().extend({
  id: params.idOf(publishingIds.customEvent, { min: 0 }),
  startDate: momentOrNone.optional(),
})
export type CustomEventDraft = z.output<typeof customEventDraft>
export type CustomEventChanges = z.output<typeof customEventChanges>

const Campaign = shape('CalendarCampaign', { Color: text, Id: text, Name: text, Status: choice(campaignStatuses) })

const Credential = shape('CalendarCredential', {
  BoardOnly: flag,
  DisplayName: text,
  ExpiresOn: zeroDatetime,
  Id: text,
  ImageLink: text,
  IsHidden: flag,
  Name: text,
  Network: choice(networkNames),
  NetworkAccountId: text,
  NetworkUsername: text,
  ParentCredentialId: text,
  Status: choice(['valid', 'invalid']),
})

const Media = shape('CalendarMedia', { Id: text, Type: text, Name: text, Resource: text, MimeType: text })

const Message = shape('CalendarMessage', {
  CampaignId: text,
  Clicks: integer,
  Converts: integer,
  Description: text,
  Id: text,
  ImageUrl: text,
  IsBoardMessage: flag,
  LinkTitle: text,
  LinkUrl: text,
  MediaIds: listOf(text),
  Message: text,
  MessageLength: integer,
  Network: choice(connectedNetworks),
  Status: text,
  Subject: text,
  Type: text,
  Url: text,
})

const Post = shape('CalendarPost', {
  CampaignId: text,
  Clicks: integer,
  ContentSource: text,
  Converts: integer,
  CredentialIds: listOf(text),
  Id: text,
  MessageId: text,
  Network: text,
  Source: choice(postSources),
  StartDateTime: datetime,
  Status: choice(postStatuses),
  ApproveStatus: choice(approveStatuses),
  TotalCount: integer,
})

const Postlog = shape('CalendarPostlog', {
  Id: text,
  CredentialId: text,
  PostId: text,
  MessageId: text,
  Status: choice(['success', 'failed']),
  RemoteUrl: text,
  PublishedDate: zeroDatetime,
})

/** The reply of the public API: all posts of a range of days with their related rows. */
export const calendarParts = {
  Campaigns: longMap(Campaign),
  Credentials: longMap(Credential),
  Media: longList(Media),
  Messages: longMap(Message),
  Posts: longMap(Post),
  Postlogs: longList(Postlog),
  CustomEvents: longList(CustomEvent),
}

/**
 * The minimum a calendar needs to draw a post, since thousands are sent at a time. Default values are omitted: approved, no problem, no
 * media.
 */
const PlannerPost = shape('PlannerPost', {
  Id: text,
  CampaignId: text,
  Network: text,
  CredentialIds: listOf(text),
  At: unixTime,
  Status: choice(postStatuses),
  ApproveStatus: optional(choice(approveStatuses)),
  Trouble: optional(choice(troubles)),
  Text: text,
  Media: optional(integer),
})

const PlannerCampaign = shape('PlannerCampaign', {
  Id: text,
  Name: text,
  Color: text,
  Status: choice(campaignStatuses),
})

const PlannerProfile = shape('PlannerProfile', {
  Id: text,
  Name: text,
  Network: choice(networkNames),
  ImageLink: text,
  IsValid: flag,
})

/** Everything a calendar draws for a time range; `IsAll` is false if the result was truncated. */
export const plannerParts = {
  Posts: longList(PlannerPost),
  Campaigns: longMap(PlannerCampaign),
  Credentials: longMap(PlannerProfile),
  CustomEvents: listOf(CustomEvent),
  IsAll: flag,
}

/** The filters of the public API. */
const readers = {
  campaigns: ids(scopeIds.campaign),
  credentials: ids(profileKey),
  messages: ids(publishingIds.message),
  postSources: words(postSources),
  statuses: words(postStatuses),
  users: ids(accountIds.user),
  networks: words(connectedNetworks, networkSpellings),
  campaignTags: ids(publishingIds.tag),
  messageTags: ids(publishingIds.tag),
  teams: ids(accountIds.team),
  hasFirstComment: params.flag,
  promotion: words(['promoted', 'organic', 'unknown']),
  showArchived: params.flag,
}
export const calendarFilters = filters(readers)
/** The filters of the console. */
export const plannerFilters = filters({ ...readers, tags: ids(publishingIds.tag) })
