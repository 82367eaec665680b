import { z } from 'zod'
import { Refusal } from '#kernel/errors.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { listOf, optional } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { urlOrNone } from '#kernel/wire/params.ts'
import { item, parts } from '#kernel/wire/replies.ts'
import { publishingIds } from '../declarations.ts'
import { repair } from './post-repair.ts'
import { Postlog, PostlogStats } from './post-shape.ts'
import * as postlogs from './postlog.ts'

export const endpoints = [
  endpoint('GET /postlog', {
    summary: 'List the results of a post on each of its profiles; postId is required',
    needs: 'read',
    params: z.object({ postId: params.idOf(publishingIds.post, { min: 0 }).optional() }),
    reply: parts({ Postlogs: listOf(Postlog) }),
    run: (context, { postId = '' }) => {
      if (postId === '') throw missingPostId()
      return postlogs.ofPost(context, postId)
    },
  }),
  endpoint('GET /postlog/{id}', {
    summary: 'Get the result of a post on one profile',
    needs: 'read',
    params: z.object({ id: params.pathId(publishingIds.postlog), stats: params.flag.optional() }),
    reply: parts({ Postlog, Stats: optional(PostlogStats) }),
    run: postlogs.get,
  }),
]

/** Existing clients read the message from this field. */
function missingPostId() {
  const sentence = 'Missing value for parameter postId'
  return new Refusal('invalid', `${sentence}.`, { beside: { Param: { get: sentence } } })
}

export const appEndpoints = [
  appEndpoint('POST /postlog/{id}/repair', {
    summary: 'Mark a failed or unconfirmed post as sent, or send it again',
    needs: 'approve',
    params: z.object({
      id: params.pathId(publishingIds.postlog),
      action: params.choice(['mark-sent', 'send-again']),
      remoteId: params.line({ min: 0 }).optional(),
      remoteUrl: urlOrNone.optional(),
    }),
    reply: item('Postlog', Postlog),
    run: repair,
  }),
]
