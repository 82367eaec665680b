import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, shape, text } from '#kernel/wire/fields.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { done, list } from '#kernel/wire/replies.ts'
import * as repair from './post-repair.ts'

/** With the profiles on which it is late. */
const LatePost = shape('LatePost', {
  Id: text,
  CampaignId: text,
  MessageId: text,
  Network: text,
  StartDateTime: datetime,
  Credentials: text,
})

export const endpoints = [
  appEndpoint('GET /post/late', {
    summary: 'List posts that missed their time and wait for a decision',
    needs: 'read',
    params: listParams({}, { count: upTo(100, 25), order: sortBy({ startDateTime: 'date' }, 'startDateTime,1') }),
    reply: list(LatePost),
    run: repair.searchLate,
  }),
  appEndpoint('POST /post/{id}/repair', {
    summary: 'Send a post that missed its time, or drop it',
    needs: 'approve',
    params: z.object({ id: params.pathId('post'), action: params.choice(['send', 'drop']) }),
    reply: done,
    run: repair.decideLate,
  }),
]
