import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import type { Outside } from '#kernel/outside.ts'
import { listOf, shape, text } from '#kernel/wire/fields.ts'
import { momentOrNone } from '#kernel/wire/moment-params.ts'
import { objectList } from '#kernel/wire/object-list.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { type Changed, changeSeveral, postActions, tellSeveral } from './several-posts.ts'

const Answer = shape('PostChangeAnswer', { Id: text, Problem: text, Tag: text })

const changes = z.object({
  action: params.choice(postActions),
  items: objectList(
    z.object({
      id: params.idOf('post'),
      startDateTime: momentOrNone.optional(),
      ifMatch: params.line({ min: 0, max: 64 }).optional(),
    }),
    { min: 1, max: 100 },
  ),
  campaignId: params.idOf('campaign', { min: 0 }).optional(),
})

export const endpoints = [
  appEndpoint('POST /posts', {
    summary: 'Move, give to another campaign or delete up to 100 posts, each by itself and with an answer of its own',
    needs: 'contribute',
    params: changes,
    reply: parts({ Items: listOf(Answer) }),
    before: (outside: Outside, input: z.output<typeof changes>) => changeSeveral(outside, input),
    run: (context: Context, _input: z.output<typeof changes>, answers: Changed[]) => tellSeveral(context, answers),
  }),
]
