import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { Media } from '#areas/media/asset/asset-shape.ts'
import { mediaIds } from '#areas/media/declarations.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import {
  boolean,
  choice,
  datetime,
  integer,
  json,
  listOf,
  nullableText,
  optional,
  shape,
  text,
} from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone, urlOrNone } from '#kernel/wire/params.ts'
import { advocacyIds } from '../declarations.ts'

const Mention = shape(undefined, { Id: text, Text: text })

export const StoryMessage = shape('StoryMessage', {
  Id: text,
  Network: text,
  Message: text,
  Type: text,
  Mentions: listOf(Mention),
  LinkTitle: text,
  LinkUrl: text,
  Description: text,
  ImageUrl: text,
  VideoPreview: text,
  VideoTitle: text,
  VideoSubtitle: text,
  Media: listOf(Media),
})

export const Story = shape('Story', {
  ID: text,
  Created: datetime,
  Modified: datetime,
  AccountId: text,
  CreatedBy: text,
  ModifiedBy: text,
  BoardId: text,
  CampaignId: text,
  PublishDate: datetime,
  ExpirationDate: datetime,
  IsFeatured: boolean,
  Title: nullableText,
  Description: text,
  PostlogId: optional(text),
  ImageUrl: nullableText,
  LinkTitle: nullableText,
  LinkUrl: nullableText,
  LinkDescription: nullableText,
  LinkContent: nullableText,
  Type: choice(['text', 'post-attachment']),
  Status: choice(['draft', 'pending', 'rejected', 'approved', 'active']),
  ShareCount: integer,
  AltTexts: json,
  VideoTitle: nullableText,
  VideoPreview: nullableText,
  VideoSubtitle: nullableText,
  PreviewFrame: nullableText,
  WorkflowId: nullableText,
  Messages: listOf(StoryMessage),
  Media: listOf(Media),
  Topics: listOf(text),
  Tags: listOf(text),
})

const longest = 1024
const mostNames = 100

const written = z
  .object({
    boardId: params.idOf(scopeIds.board, { min: 0 }),
    title: params.line({ max: longest }),
    description: params.text({ min: 1, max: longest }),
    campaignId: params.idOf(scopeIds.campaign, { min: 0 }),
    mediaIds: params.idList(mediaIds.media),
    link: urlOrNone,
    messageIds: params.idList(publishingIds.message),
    topicIds: params.idsOf(advocacyIds.topic, { max: mostNames }),
    tagIds: params.idsOf(publishingIds.tag, { max: mostNames }),
    publishDatetime: momentOrNone,
    expirationDatetime: momentOrNone,
    isDraft: params.flag,
    isFeatured: params.flag,
    generateMessages: params.flag,
    workflowId: params.idOf(scopeIds.workflow, { min: 0 }),
  })
  .partial()

export const storyDraft = written.extend({ postlogId: params.idOf(publishingIds.postlog, { min: 0 }).optional() })
export const storyChanges = written.extend({ id: params.pathId(advocacyIds.story) })
export type StoryDraft = z.output<typeof storyDraft>
export type StoryChanges = z.output<typeof storyChanges>

/** Filters of story lists. */
export const storyFilters = {
  boardId: params.idOf(scopeIds.board, { min: 0 }).optional(),
  status: params.word(['draft', 'scheduled', 'published', 'expired']).optional(),
  approveStatus: params.word(['pending', 'rejected', 'approved']).optional(),
  createdBy: params.idsOf(accountIds.user, { max: mostNames }).optional(),
  topicIds: params.idsOf(advocacyIds.topic, { max: mostNames }).optional(),
  tagIds: params.idList(publishingIds.tag).optional(),
  isFeatured: params.flag.optional(),
  isRepost: params.flag.optional(),
  q: params.line({ min: 0, max: 255 }).optional(),
}
