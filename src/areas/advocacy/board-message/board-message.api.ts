import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { done } from '#kernel/wire/replies.ts'
import { advocacyIds } from '../declarations.ts'
import { add, remove } from './board-message.ts'

const place = z.object({ boardId: params.idOf(scopeIds.board), messageId: params.idOf(publishingIds.message) })

export const endpoints = [
  endpoint('POST /board-message', {
    summary: 'Add a message to a board of the older kind, or change its dates there',
    needs: 'contribute',
    params: place.extend({
      startDate: momentOrNone.optional(),
      expireDate: momentOrNone.optional(),
      important: params.flag.optional(),
      topicIds: params.idsOf(advocacyIds.topic, { max: 100 }).optional(),
    }),
    reply: done,
    run: add,
  }),
  endpoint('DELETE /board-message', {
    summary: 'Remove a message from a board of the older kind',
    needs: 'contribute',
    params: place,
    reply: done,
    run: remove,
  }),
]
