import type { Context } from '#kernel/context.ts'
import { keyedList } from '#kernel/database/keyed-pages.ts'
import { invalid } from '#kernel/errors.ts'
import { findAll as findEvents } from '../custom-event/custom-event.ts'
import { campaignsOf, credentialsOf, mediaOf, messagesOf, postlogsOf } from './calendar-parts.ts'
import { type CalendarFilters, keysIn, keysOfPosts, matchingPosts, postsByKeys, shownPosts } from './calendar-posts.ts'

const day = 24 * 60 * 60 * 1000
const mostDays = 60
/** So many posts are read at once; of more, so many at a time. Small pages: a large one keeps the thread for tens of milliseconds. */
const [wholeSize, pageSize] = [250, 100]

interface Wanted {
  fromDate: Date
  toDate: Date
  filters?: CalendarFilters | undefined
}

/**
 * Every post of the days from the first to the last, both included, and each once what belongs to them. What is shown is decided by the ids of
 * the posts, which are read at once; where there are many, the rest is read page by page while the answer is sent.
 */
export async function show(context: Context, { fromDate, toDate, filters = {} }: Wanted) {
  if (toDate < fromDate) throw invalid('toDate must not be before fromDate.')
  if (toDate.getTime() - fromDate.getTime() > mostDays * day) throw invalid('Time period should not exceed 60 days')
  const end = new Date(toDate.getTime() + day)
  const matching = matchingPosts(context, fromDate, end, filters)
  const first = await shownPosts(context, matching.limit(wholeSize + 1)).execute()
  const isWhole = first.length <= wholeSize
  const keys = isWhole ? keysIn(first) : await keysOfPosts(context, matching)
  const [campaigns, credentials, messages, media, postlogs, customEvents] = await Promise.all([
    campaignsOf(context, keys.campaigns),
    credentialsOf(context, keys.credentials),
    messagesOf(context, keys.messages),
    mediaOf(context, keys.messages),
    postlogsOf(context, keys.posts),
    findEvents(context, { after: fromDate, before: new Date(end.getTime() - 1) }),
  ])
  const posts = isWhole
    ? first
    : await keyedList(keys.posts, pageSize, (some) => shownPosts(context, postsByKeys(context, some)).execute())
  return { campaigns, credentials, media, messages, posts, postlogs, customEvents }
}
