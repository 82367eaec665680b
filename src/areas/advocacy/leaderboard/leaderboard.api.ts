import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { integer, listOf, optional, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import * as leaderboards from './leaderboard.ts'

const standing = { Rank: integer, Points: integer, Shares: integer, Clicks: integer, Converts: integer }
const Leader = shape('Leader', { Id: text, Name: text, ...standing })

export const endpoints = [
  appEndpoint('GET /board/{id}/leaderboard', {
    summary: 'Get the leaderboard of a board with the caller’s rank',
    needs: 'share',
    params: z.object({ id: params.pathId(scopeIds.board) }),
    reply: parts({ Period: text, Leaders: listOf(Leader), Mine: optional(Leader) }),
    run: leaderboards.get,
  }),
]
