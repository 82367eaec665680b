import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, decimal, integer, listOf, nullableDecimal, shape, text } from '#kernel/wire/fields.ts'
import { list } from '#kernel/wire/replies.ts'
import { networkNames } from '#networks/manifests.ts'
import * as use from './network-use.ts'

const BudgetUse = shape('BudgetUse', {
  Name: text,
  Unit: choice(['calls', 'units', 'posts', 'dollars']),
  Window: choice(['minute', 'quarterHour', 'hour', 'day', 'pacificDay', 'month']),
  Limit: nullableDecimal,
  Used: decimal,
  UsedByPublishing: decimal,
  Forecast: decimal,
  Resets: datetime,
  Setting: text,
  Source: text,
})
const NetworkPause = shape('NetworkPause', { Scope: choice(['app', 'actor', 'endpoint']), Of: text, Until: datetime })
const NetworkUse = shape('NetworkUse', {
  Network: choice(networkNames),
  Profiles: integer,
  CallsToday: integer,
  Budgets: listOf(BudgetUse),
  Pauses: listOf(NetworkPause),
})

export const endpoints = [
  appEndpoint('GET /network-use', {
    operationId: 'listNetworkUse',
    summary: 'Get the use, forecast and cost of network quotas, and throttled reads',
    needs: 'administer',
    params: z.object({}),
    reply: list(NetworkUse),
    run: use.list,
  }),
]
