import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { find as findEvents } from '../custom-event/custom-event.ts'
import { campaignsOf, credentialsOf, mediaOf, messagesOf, postlogsOf } from './calendar-parts.ts'
import { type CalendarFilters, postsBetween } from './calendar-posts.ts'

const day = 24 * 60 * 60 * 1000
const mostDays = 60

interface Wanted {
  fromDate: Date
  toDate: Date
  filters?: CalendarFilters | undefined
}

/** Every post of the days from the first to the last, both included, and each once what belongs to them. */
export async function show(context: Context, { fromDate, toDate, filters = {} }: Wanted) {
  if (toDate < fromDate) throw invalid('toDate must not be before fromDate.')
  if (toDate.getTime() - fromDate.getTime() > mostDays * day) throw invalid('Time period should not exceed 60 days')
  const end = new Date(toDate.getTime() + day)
  const posts = await postsBetween(context, fromDate, end, filters)
  const ids = posts.map(({ id }) => id)
  const messageIds = distinct(posts.map(({ messageId }) => messageId))
  const page = {
    limit: undefined,
    offset: 0,
    order: { column: 'startDateTime', kind: 'date', ascending: true },
  } as const
  const [campaigns, credentials, messages, media, postlogs, events] = await Promise.all([
    campaignsOf(context, distinct(posts.map(({ campaignId }) => campaignId))),
    credentialsOf(context, distinct(posts.flatMap(({ credentialIds }) => credentialIds))),
    messagesOf(context, messageIds),
    mediaOf(context, messageIds),
    postlogsOf(context, ids),
    findEvents(context, { after: fromDate, before: new Date(end.getTime() - 1), page }),
  ])
  return { campaigns, credentials, media, messages, posts, postlogs, customEvents: events.items }
}

const distinct = (ids: readonly string[]) => [...new Set(ids)]
