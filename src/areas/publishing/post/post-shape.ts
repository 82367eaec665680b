import { z } from 'zod'
import { draftKey, scopeIds } from '#areas/account/declarations.ts'
import { Media } from '#areas/media/asset/asset-shape.ts'
import { mediaIds } from '#areas/media/declarations.ts'
import { profileIds, profileKey } from '#areas/profiles/declarations.ts'
import {
  choice,
  datetime,
  flag,
  integer,
  listOf,
  nullableText,
  optional,
  shape,
  text,
  unixTime,
} from '#kernel/wire/fields.ts'
import { alsoCalled, refersTo } from '#kernel/wire/parameter.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { objectList, texts } from '#kernel/wire/structured-params.ts'
import { publishingIds } from '../declarations.ts'
import { Message, messageDraft } from '../message/message-shape.ts'
import { plannedStatuses } from './post.ts'

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

export const postStatuses = ['pending', 'inqueue', 'inqueue-draft', 'draft', 'complete', 'incomplete', 'error'] as const
export const postSources = ['UI', 'API', 'Autoposter', 'Bookmarklet', 'Board', 'Embedded'] as const
export const approveStatuses = ['Approved', 'Pending', 'Rejected'] as const

const FirstComment = shape('FirstComment', {
  Id: text,
  Network: text,
  Status: choice(['pending', 'published', 'failed']),
  ScheduledAt: unixTime,
  Text: text,
  CampaignId: text,
  Media: listOf(Media),
})

const fields = {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: choice(postStatuses),
  AccountId: text,
  CreatedBy: text,
  ModifiedBy: text,
  Source: choice(postSources),
  ContentSource: text,
  Queued: flag,
  CampaignId: text,
  BoardId: text,
  MessageId: text,
  MessageChildId: text,
  MessageStatus: text,
  Network: text,
  StartDateTime: datetime,
  Groups: text,
  GroupsCount: integer,
  TotalCount: integer,
  TargetGeo: text,
  UpdateStatus: integer,
  Flag: text,
  Clicks: integer,
  Converts: integer,
  Comments: integer,
  NewComments: integer,
  Likes: integer,
  Utm: text,
  ApproveStatus: choice(approveStatuses),
  Credentials: text,
}

export const Post = shape('Post', {
  ...fields,
  TargetingPresetId: nullableText,
  FirstComment: optional(FirstComment),
  Postlogs: optional(listOf(Postlog)),
})

/** The payload of post events, with profiles. */
export const PostOfEvent = shape('PostOfEvent', {
  ...fields,
  ProfileIds: listOf(text),
  Profiles: listOf(shape(undefined, { Id: text, Name: text, LongName: text, Type: text, Thumbnail: text, URL: text })),
  Postlogs: optional(listOf(shape(undefined, { Id: text, PostURL: text, MessageId: text, ProfileId: text }))),
})

export const stats = {
  LinkClicks: integer,
  Conversions: integer,
  Comments: integer,
  Likes: integer,
  Shares: integer,
  ImpressionsAdded: integer,
}

export const PostStats = shape('PostStats', stats)
/** For one profile. */
export const PostlogStats = shape('PostlogStats', {
  ...stats,
  MediaClicksAdded: integer,
  DetailExpandsAdded: integer,
  UserFollowsAdded: integer,
})

/** Fields that users set. */
const written = z.object({
  messageId: params.idOf(publishingIds.message),
  credentialIds: alsoCalled(params.idsOf(profileKey, { max: 1000 }), 'Credentials'),
  startDateTime: momentOrNone.optional(),
  status: params.choice(plannedStatuses).optional(),
  targetingPresetId: params.idOf(profileIds.targetingPreset, { min: 0 }).optional(),
  firstComment: texts({ text: {}, media: refersTo(mediaIds.media) }).optional(),
})

export const postDraft = written.extend({ workflowId: params.idOf(scopeIds.workflow, { min: 0 }).optional() })
export const postChanges = written.partial().extend({ id: params.pathId(publishingIds.post) })
export type PostDraft = z.output<typeof postDraft>
export type PostChanges = z.output<typeof postChanges>

const maxParts = 20

/** The content for one network: the fields of a message and of its post. */
const part = messageDraft.omit({ campaignId: true, tagIds: true }).extend({
  ...postDraft.omit({ messageId: true, workflowId: true }).shape,
})

/** Content for several networks. Status and start time apply to all parts unless a part overrides them. */
export const composition = z.object({
  campaignId: params.idOf(scopeIds.campaign),
  tagIds: params.idList(publishingIds.tag).optional(),
  status: postDraft.shape.status,
  startDateTime: momentOrNone.optional(),
  workflowId: params.idOf(scopeIds.workflow, { min: 0 }).optional(),
  draftId: params.idOf(draftKey, { min: 0 }).optional(),
  parts: objectList(part, { min: 1, max: maxParts }),
})
export type Composition = z.output<typeof composition>

/** In the order of the parts. */
export const composed = { Items: listOf(shape('Composed', { Message, Post })) }
