import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { mediaIds } from '#areas/media/declarations.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, flag, integer, listOf, shape, text } from '#kernel/wire/fields.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { publishingIds } from '../declarations.ts'
import { postStatuses } from '../post/post-shape.ts'
import * as messages from './message.ts'
import { usesOf } from './message-media.ts'
import { Message, messageChanges, messageDraft, network } from './message-shape.ts'
import { create, remove, update } from './message-write.ts'

const id = z.object({ id: params.pathId(publishingIds.message) })
const withTags = params.flag.optional()

export const endpoints = [
  endpoint('GET /message/{id}', {
    summary: 'Get a message with its media',
    needs: 'read',
    params: id.extend({ withTags }),
    reply: item('Message', Message),
    modified: ({ modified }) => modified,
    run: messages.get,
  }),
  endpoint('GET /message', {
    summary: 'List the messages of a campaign, or messages by their ids',
    needs: 'read',
    params: listParams(
      {
        campaignId: params.idOf(scopeIds.campaign, { min: 0 }).optional(),
        ids: params.idList(publishingIds.message).optional(),
        network: network.optional(),
        withTags,
      },
      { count: upTo(100, 25), order: sortBy({ created: 'date' }, 'created,0') },
    ),
    reply: list(Message),
    run: messages.search,
  }),
  endpoint('POST /message', {
    summary: 'Create a message for one network',
    needs: 'contribute',
    params: messageDraft,
    reply: item('Message', Message),
    run: create,
  }),
  endpoint('POST /message/{id}', {
    summary: 'Update a message',
    needs: 'contribute',
    params: messageChanges,
    reply: item('Message', Message),
    modified: ({ modified }) => modified,
    run: update,
  }),
  endpoint('DELETE /message/{id}', {
    summary: 'Delete a message',
    needs: 'contribute',
    params: id,
    reply: done,
    run: remove,
  }),
]

const PostWithMedia = shape('PostWithMedia', {
  Id: text,
  Status: choice(postStatuses),
  StartDateTime: datetime,
  CampaignId: text,
  Network: text,
  Text: text,
})
const OtherMediaUse = shape('OtherMediaUse', { What: text, Count: integer })

export const appEndpoints = [
  appEndpoint('GET /media/{id}/uses', {
    summary: 'List the uses of an asset: unsent posts and other content that prevents its deletion',
    needs: 'read',
    params: z.object({ id: params.pathId(mediaIds.media) }),
    reply: parts({
      Posts: listOf(PostWithMedia),
      TotalPosts: integer,
      HiddenPosts: integer,
      Messages: integer,
      Others: listOf(OtherMediaUse),
      MayBeDeleted: flag,
    }),
    run: usesOf,
  }),
]
