import { z } from 'zod'
import { publishingIds } from '#areas/publishing/declarations.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { datetime, listOf, shape, text } from '#kernel/wire/fields.ts'
import { idFilter } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { connectedNetworks, networkSpellings } from '#networks/manifests.ts'
import { list, most } from './comment.ts'

const Comment = shape('Comment', {
  ProfileName: text,
  Date: datetime,
  CommentText: text,
  CommentId: text,
  ActivityId: text,
  Network: text,
  PostlogId: text,
})

export const endpoints = [
  endpoint('GET /comments', {
    summary: `List the latest ${most} comments of other people`,
    needs: 'read',
    params: z.object({
      postlogId: idFilter(publishingIds.postlog).optional(),
      network: params.words(connectedNetworks, networkSpellings).optional(),
      _count: params.count(1, most).optional(),
    }),
    reply: parts({ Data: listOf(Comment) }),
    run: list,
  }),
]
