import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { filters, ids, words } from '#kernel/wire/filter-params.ts'
import { day } from '#kernel/wire/moment-params.ts'
import * as params from '#kernel/wire/params.ts'
import { parts } from '#kernel/wire/replies.ts'
import { connectedNetworks, networkSpellings } from '#networks/manifests.ts'
import { postSources, postStatuses } from '../post/read/post-shape.ts'
import * as calendar from './calendar.ts'
import { calendarParts } from './calendar-shape.ts'

export const endpoints = [
  endpoint('POST /calendar', {
    summary: 'Show every post of up to 60 days, with all that belongs to it',
    needs: 'read',
    readsOnly: true,
    params: z.object({
      fromDate: day,
      toDate: day,
      filters: filters({
        campaigns: ids('campaign'),
        credentials: ids('credential'),
        messages: ids('message'),
        postSources: words(postSources),
        statuses: words(postStatuses),
        users: ids('user'),
        networks: words(connectedNetworks, networkSpellings),
        campaignTags: ids('tag'),
        messageTags: ids('tag'),
        teams: ids('team'),
        hasFirstComment: params.flag,
        promotion: words(['promoted', 'organic', 'unknown']),
        showArchived: params.flag,
      }).optional(),
    }),
    reply: parts(calendarParts),
    run: calendar.show,
  }),
]
