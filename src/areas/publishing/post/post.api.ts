import { z } from 'zod'
import { accountIds, scopeIds } from '#areas/account/declarations.ts'
import { profileKey } from '#areas/profiles/declarations.ts'
import type { Context } from '#kernel/context.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, flag, listOf, optional, shape, text, unixTime } from '#kernel/wire/fields.ts'
import { idFilter, listParams, oneOf, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { objectList } from '#kernel/wire/structured-params.ts'
import { publishingIds } from '../declarations.ts'
import { compose } from './post-compose.ts'
import { create } from './post-create.ts'
import { findSimilar, get, history, historyKinds, search } from './post-queries.ts'
import { resolveLate, searchLate } from './post-repair.ts'
import {
  composed,
  composition,
  Post,
  PostStats,
  postChanges,
  postDraft,
  postSources,
  postStatuses,
} from './post-shape.ts'
import {
  auditBulkChange,
  type BulkResult,
  bulkActions,
  bulkChange,
  changeCampaign,
  remove,
  update,
} from './post-update.ts'

const id = z.object({ id: params.pathId(publishingIds.post) })

/** The public contract. */
export const endpoints = [
  endpoint('GET /post/{id}', {
    summary: 'Get a post',
    needs: 'read',
    params: id.extend({ stats: params.flag.optional(), postlogs: params.flag.optional() }),
    reply: parts({ Post, Stats: optional(PostStats) }),
    modified: ({ post }) => post.modified,
    run: get,
  }),
  endpoint('GET /post', {
    summary: 'List posts',
    needs: 'read',
    params: listParams(
      {
        messageId: idFilter(publishingIds.message).optional(),
        campaignId: idFilter(scopeIds.campaign).optional(),
        status: params.choice(postStatuses).optional(),
        createdBy: idFilter(accountIds.user).optional(),
        source: params.choice(postSources).optional(),
        after: momentOrNone.optional(),
        before: momentOrNone.optional(),
        withPostlogs: params.flag.optional(),
      },
      {
        count: oneOf(25, 50, 100),
        order: sortBy({ created: 'date', modified: 'date', startDateTime: 'date' }, 'created,0'),
      },
    ),
    reply: list(Post),
    run: search,
  }),
  endpoint('POST /post', {
    summary: 'Schedule a message on profiles of its network',
    needs: 'contribute',
    params: postDraft,
    reply: item('Post', Post),
    run: create,
  }),
  endpoint('POST /post/{id}', {
    summary: 'Update an unsent post',
    needs: 'contribute',
    params: postChanges,
    reply: item('Post', Post),
    modified: ({ modified }) => modified,
    run: update,
  }),
  endpoint('POST /post/{id}/change-campaign', {
    summary: 'Move an unsent post to another campaign',
    needs: 'contribute',
    params: id.extend({ campaignId: params.idOf(scopeIds.campaign) }),
    reply: item('Post', Post),
    run: changeCampaign,
  }),
  endpoint('DELETE /post/{id}', {
    summary: 'Delete an unsent post',
    needs: 'contribute',
    params: id,
    reply: done,
    run: remove,
  }),
]

/** `CredentialIds` are the profiles it would repeat on. */
const SimilarPost = shape('SimilarPost', {
  Id: text,
  CampaignId: text,
  Network: text,
  At: unixTime,
  Status: choice(postStatuses),
  CredentialIds: listOf(text),
})

const HistoryEntry = shape('HistoryEntry', {
  At: unixTime,
  Kind: choice(historyKinds),
  UserId: text,
  UserName: text,
  CredentialId: text,
  Fields: listOf(text),
  Text: text,
  RemoteUrl: text,
})

/** `Credentials` are the profiles it is late on. */
const LatePost = shape('LatePost', {
  Id: text,
  CampaignId: text,
  MessageId: text,
  Network: text,
  StartDateTime: datetime,
  Credentials: text,
})

const BulkAnswer = shape('PostChangeAnswer', { Id: text, Problem: text, Tag: text })

const bulkChanges = z.object({
  action: params.choice(bulkActions),
  items: objectList(
    z.object({
      id: params.idOf(publishingIds.post),
      startDateTime: momentOrNone.optional(),
      ifMatch: params.line({ min: 0, max: 64 }).optional(),
    }),
    { min: 1, max: 100 },
  ),
  campaignId: params.idOf(scopeIds.campaign, { min: 0 }).optional(),
})

/** The console's own API. */
export const appEndpoints = [
  appEndpoint('POST /compose', {
    operationId: 'composePosts',
    summary: 'Create all messages and posts of a composition for several networks, or none',
    needs: 'contribute',
    params: composition,
    reply: parts(composed),
    run: compose,
  }),
  appEndpoint('POST /post/similar', {
    operationId: 'findSimilarPosts',
    summary: 'Find posts with the same text on the same profiles within a week',
    needs: 'read',
    readsOnly: true,
    params: z.object({
      message: params.text({ max: 70_000 }),
      credentialIds: params.idsOf(profileKey, { max: 1000 }),
      startDateTime: momentOrNone.optional(),
      postId: params.idOf(publishingIds.post, { min: 0 }).optional(),
    }),
    reply: list(SimilarPost),
    run: findSimilar,
  }),
  appEndpoint('GET /post/{id}/history', {
    operationId: 'listPostHistory',
    summary: 'Get the history of a post, latest first',
    needs: 'read',
    params: z.object({ id: params.pathId(publishingIds.post) }),
    reply: parts({ Items: listOf(HistoryEntry), IsAll: flag }),
    run: history,
  }),
  appEndpoint('GET /post/late', {
    operationId: 'listLatePosts',
    summary: 'List late posts that need a decision',
    needs: 'read',
    params: listParams({}, { count: upTo(100, 25), order: sortBy({ startDateTime: 'date' }, 'startDateTime,1') }),
    reply: list(LatePost),
    run: searchLate,
  }),
  appEndpoint('POST /post/{id}/repair', {
    summary: 'Send or drop a late post',
    needs: 'approve',
    params: z.object({ id: params.pathId(publishingIds.post), action: params.choice(['send', 'drop']) }),
    reply: done,
    run: resolveLate,
  }),
  appEndpoint('POST /posts', {
    operationId: 'changePosts',
    summary: 'Reschedule, move to another campaign or delete up to 100 posts, with a result for each',
    needs: 'contribute',
    params: bulkChanges,
    reply: parts({ Items: listOf(BulkAnswer) }),
    before: (outside: ExternalIo, input: z.output<typeof bulkChanges>) => bulkChange(outside, input),
    run: (context: Context, _input: z.output<typeof bulkChanges>, results: BulkResult[]) =>
      auditBulkChange(context, results),
  }),
]
