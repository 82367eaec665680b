import { z } from 'zod'
import { ways } from '#kernel/caller.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, flag, integer, listOf, nullableText, shape, text } from '#kernel/wire/fields.ts'
import { idFilter } from '#kernel/wire/list-params.ts'
import { momentOrNone } from '#kernel/wire/moment-params.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { list } from './audit.ts'

const Deed = shape('Deed', {
  Id: text,
  Created: datetime,
  UserId: text,
  UserName: text,
  Via: choice(ways),
  ViaId: text,
  Address: text,
  Operation: text,
  EntityId: text,
  Fields: listOf(text),
  Count: integer,
  Refused: flag,
})

/** Whatever somebody can change. */
const anything = params.idOfAny(
  [
    ...(['user', 'team', 'session', 'webhook', 'webhookPayload', 'tag', 'campaign', 'message', 'post'] as const),
    ...(['postlog', 'workflow', 'workflowItem', 'customEvent', 'media', 'mediaFolder', 'upload'] as const),
    ...(['credential', 'targetingPreset', 'link', 'conversionTag', 'cname', 'streamTab', 'stream'] as const),
  ],
  { min: 0 },
)

export const endpoints = [
  appEndpoint('GET /audit', {
    summary: 'See who changed what, when and from where; the latest first, on from a page’s Next with _after',
    needs: 'administer',
    params: z.object({
      userId: idFilter('user').optional(),
      operation: params.lineList({ max: 50 }).optional(),
      id: anything.optional(),
      via: params.word(ways).optional(),
      from: momentOrNone.optional(),
      to: momentOrNone.optional(),
      _after: params.line({ min: 0, max: 15 }).optional(),
      _count: params.count(1, 100).optional(),
    }),
    reply: parts({ Items: listOf(Deed), Next: nullableText }),
    run: list,
  }),
]
