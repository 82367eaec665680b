import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, listOf, shape, text, unixTime } from '#kernel/wire/fields.ts'
import { momentOrNone } from '#kernel/wire/moment-params.ts'
import * as params from '#kernel/wire/params.ts'
import { list } from '#kernel/wire/replies.ts'
import { postStatuses } from '../read/post-shape.ts'
import { findSimilar } from './similar-post.ts'

/** With the profiles on which it would be a repetition. */
const SimilarPost = shape('SimilarPost', {
  Id: text,
  CampaignId: text,
  Network: text,
  At: unixTime,
  Status: choice(postStatuses),
  CredentialIds: listOf(text),
})

export const endpoints = [
  appEndpoint('POST /post/similar', {
    summary: 'Find posts with the same words on the same profiles within a week',
    needs: 'read',
    readsOnly: true,
    params: z.object({
      message: params.text({ max: 70_000 }),
      credentialIds: params.idsOf('credential', { max: 1000 }),
      startDateTime: momentOrNone.optional(),
      postId: params.idOf('post', { min: 0 }).optional(),
    }),
    reply: list(SimilarPost),
    run: findSimilar,
  }),
]
