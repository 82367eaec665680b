import { sql } from 'kysely'
import { z } from 'zod'
import { scopeIds } from '#areas/account/declarations.ts'
import type { Clock } from '#kernel/clock.ts'
import { acrossAccounts } from '#kernel/database/across-accounts.ts'
import type { Db } from '#kernel/database/database.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import { appEndpoint, endpoint } from '#kernel/http/route/endpoint.ts'
import { idKinds } from '#kernel/ids.ts'
import { choice, integer, listOf, shape, text } from '#kernel/wire/fields.ts'
import { idFilter, listParams, oneOf, sortBy } from '#kernel/wire/list-params.ts'
import * as params from '#kernel/wire/params.ts'
import { momentOrNone } from '#kernel/wire/params.ts'
import { list, parts } from '#kernel/wire/replies.ts'
import { clickedLeadKey, linkIds, visitorKey } from '../declarations.ts'
import * as clicks from './click.ts'
import { clickClasses } from './click.ts'
import { Click } from './click-shape.ts'

/** Messages belong to publishing, which depends on links. */
const { message } = idKinds({ message: '005' })

export const endpoints = [
  endpoint('GET /click', {
    summary: 'List clicks of people on short links',
    needs: 'read',
    params: listParams(
      {
        convertsOnly: params.flag.optional(),
        messageId: idFilter(message).optional(),
        leadId: params.idOf(clickedLeadKey, { min: 0 }).optional(),
        campaignId: idFilter(scopeIds.campaign).optional(),
        visitorId: params.idOf(visitorKey, { min: 0 }).optional(),
        before: momentOrNone.optional(),
        after: momentOrNone.optional(),
      },
      {
        count: oneOf(25, 50, 100, 200),
        order: sortBy({ created: 'date', campaignName: 'text', credentialName: 'text' }, 'created,0'),
      },
    ),
    reply: list(Click),
    run: clicks.search,
  }),
]

const ClickClass = shape('ClickClass', { Class: choice(clickClasses), Reason: text, Clicks: integer })

export const appEndpoints = [
  appEndpoint('GET /link/{id}/clicks', {
    summary: 'Get the clicks of a short link by class, with the reasons for excluded clicks',
    needs: 'read',
    params: z.object({ id: params.pathId(linkIds.link) }),
    reply: parts({ Clicks: integer, Items: listOf(ClickClass), Total: integer }),
    run: clicks.classesOf,
  }),
]

/** Whether click counting keeps up: clicks that are stored and not counted yet, and how long the oldest has waited. */
export function addClickMetrics(metrics: Metrics, db: Db, clock: Clock) {
  metrics.gauges({
    labels: ['state'],
    series: {
      clicks_unprocessed: 'Clicks that wait to be counted.',
      clicks_oldest_seconds: 'Seconds since the oldest of them was made.',
    },
    async read() {
      const now = clock.now()
      const { rows } = await sql<{ count: number; oldest: Date | null }>`
        select coalesce(sum(size), 0)::int as count, min(at) as oldest from click_batches
        ${acrossAccounts('waiting clicks')}`.execute(db)
      return rows.map(({ count, oldest }) => ({
        labels: { state: 'waiting' },
        values: {
          clicks_unprocessed: count,
          clicks_oldest_seconds: oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1000) : 0,
        },
      }))
    },
  })
}
