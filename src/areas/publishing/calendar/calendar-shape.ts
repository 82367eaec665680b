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
  shape,
  text,
  zeroDatetime,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { filters, ids, words } from '#kernel/wire/structured-params.ts'
import { connectedNetworks, networkNames, networkSpellings } from '#networks/manifests.ts'
import { campaignStatuses } from '../campaign/campaign-shape.ts'
import { CustomEvent } from '../custom-event/custom-event-shape.ts'
import { publishingIds } from '../declarations.ts'
import { approveStatuses, postSources, postStatuses } from '../post/post-shape.ts'

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

export const calendarParts = {
  Campaigns: longMap(Campaign),
  Credentials: longMap(Credential),
  Media: longList(Media),
  Messages: longMap(Message),
  Posts: longMap(Post),
  Postlogs: longList(Postlog),
  CustomEvents: longList(CustomEvent),
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
