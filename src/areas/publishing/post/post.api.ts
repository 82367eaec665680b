import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { optional } from '#kernel/wire/fields.ts'
import { idFilter, listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import { momentOrNone } from '#kernel/wire/moment-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, item, list, parts } from '#kernel/wire/replies.ts'
import { changeCampaign } from './change/post-campaign.ts'
import { update } from './change/post-update.ts'
import { create } from './plan/post-create.ts'
import * as posts from './post.ts'
import { Post, PostStats, postChanges, postDraft, postSources, postStatuses } from './read/post-shape.ts'

const id = z.object({ id: params.pathId('post') })

export const endpoints = [
  endpoint('GET /post/{id}', {
    summary: 'Get a post',
    needs: 'read',
    params: id.extend({ stats: params.flag.optional(), postlogs: params.flag.optional() }),
    reply: parts({ Post, Stats: optional(PostStats) }),
    modified: ({ post }) => post.modified,
    run: posts.get,
  }),
  endpoint('GET /post', {
    summary: 'List posts',
    needs: 'read',
    params: listParams(
      {
        messageId: idFilter('message').optional(),
        campaignId: idFilter('campaign').optional(),
        status: params.choice(postStatuses).optional(),
        createdBy: idFilter('user').optional(),
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
    run: posts.search,
  }),
  endpoint('POST /post', {
    summary: 'Schedule a message on profiles of its network',
    needs: 'contribute',
    params: postDraft,
    reply: item('Post', Post),
    run: create,
  }),
  endpoint('POST /post/{id}', {
    summary: 'Change a post that was not sent',
    needs: 'contribute',
    params: postChanges,
    reply: item('Post', Post),
    modified: ({ modified }) => modified,
    run: update,
  }),
  endpoint('POST /post/{id}/change-campaign', {
    summary: 'Move a post that was not sent to another campaign',
    needs: 'contribute',
    params: id.extend({ campaignId: params.idOf('campaign') }),
    reply: item('Post', Post),
    run: changeCampaign,
  }),
  endpoint('DELETE /post/{id}', {
    summary: 'Delete a post that was not sent',
    needs: 'contribute',
    params: id,
    reply: done,
    run: posts.remove,
  }),
]
