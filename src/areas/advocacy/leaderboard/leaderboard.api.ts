import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, flag, integer, listOf, optional, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import { listParams, sortBy, upTo } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { list, parts } from '#kernel/wire/replies.ts'
import * as leaderboards from './leaderboard.ts'

const standing = { Rank: integer, Points: integer, Shares: integer, Clicks: integer, Converts: integer }
const Leader = shape('Leader', { Id: text, Name: text, ...standing })
const BoardAdvocate = shape('BoardAdvocate', {
  ...{ Id: text, Name: text, Email: text, Role: choice(['contributor', 'manager']), IsAccepted: flag },
  ...{ LastSeen: zeroDatetime, ...standing },
})
const id = params.pathId('board')

export const endpoints = [
  appEndpoint('GET /board/{id}/leaderboard', {
    summary: 'See who shares most on a board in its period, and where one is oneself',
    needs: 'share',
    params: z.object({ id }),
    reply: parts({ Period: text, Leaders: listOf(Leader), Mine: optional(Leader) }),
    run: leaderboards.get,
  }),
  appEndpoint('GET /board/{id}/advocate', {
    summary: 'List the advocates of a board that one manages, with what they shared',
    needs: 'share',
    params: listParams({ id }, { count: upTo(100, 20), order: sortBy({ name: 'text' }, 'name,1') }),
    reply: list(BoardAdvocate),
    run: leaderboards.advocates,
  }),
]
