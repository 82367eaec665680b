import { z } from 'zod'
import { mediaIds } from '#areas/media/declarations.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, flag, integer, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { postStatuses } from '../post/post-shape.ts'
import { usesOf } from './media-uses.ts'

const Post = shape('PostWithMedia', {
  Id: text,
  Status: choice(postStatuses),
  StartDateTime: datetime,
  CampaignId: text,
  Network: text,
  Text: text,
})
const Other = shape('OtherMediaUse', { What: text, Count: integer })

export const endpoints = [
  appEndpoint('GET /media/{id}/uses', {
    summary: 'List the uses of an asset: unsent posts and other content that prevents its deletion',
    needs: 'read',
    params: z.object({ id: params.pathId(mediaIds.media) }),
    reply: parts({
      Posts: listOf(Post),
      TotalPosts: integer,
      HiddenPosts: integer,
      Messages: integer,
      Others: listOf(Other),
      MayBeDeleted: flag,
    }),
    run: usesOf,
  }),
]
