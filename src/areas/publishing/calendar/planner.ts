import type { Context } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { find as findEvents } from '../custom-event/custom-event.ts'
import { campaignsOf, credentialsOf } from './calendar-parts.ts'
import { type CalendarFilters, matchingPosts } from './calendar-posts.ts'
import { mediaCount, says, textOf, troubleOf } from './glance.ts'

const day = 24 * 60 * 60 * 1000
const mostDays = 62
/** Nobody looks at more at once; a window that holds more is cut off at its end, and says so. */
const mostPosts = 20_000

interface Wanted {
  from: Date
  until: Date
  find?: string | undefined
  filters?: CalendarFilters | undefined
}

/** The posts of a window, lean, with the names of what they belong to. One statement for the posts, however many. */
export async function plan(context: Context, { from, until, find = '', filters = {} }: Wanted) {
  if (until <= from) throw invalid('until must come after from.')
  if (until.getTime() - from.getTime() > mostDays * day) throw invalid(`The time must not exceed ${mostDays} days.`)
  const rows = await matchingPosts(context, from, until, filters)
    .select(['id', 'campaignId', 'network', 'credentialIds', 'startDateTime as at', 'status'])
    .select(['approveStatus', troubleOf(context).as('trouble'), textOf(context).as('text')])
    .select(mediaCount(context).as('media'))
    .$if(find !== '', (posts) => posts.where(says(context, find)))
    .limit(mostPosts + 1)
    .execute()
  const posts = rows.slice(0, mostPosts).map(({ approveStatus, trouble, media, ...post }) => ({
    ...post,
    approveStatus: approveStatus === 'Approved' ? undefined : approveStatus,
    trouble: trouble || undefined,
    media: media || undefined,
  }))
  const [campaigns, credentials, events] = await Promise.all([
    campaignsOf(context, [...new Set(posts.map(({ campaignId }) => campaignId))]),
    credentialsOf(context, [...new Set(posts.flatMap(({ credentialIds }) => credentialIds))]),
    eventsBetween(context, from, until),
  ])
  return {
    posts,
    campaigns,
    credentials: credentials.map(({ id, displayName: name, network, imageLink, status }) => {
      return { id, name, network, imageLink, isValid: status === 'valid' }
    }),
    customEvents: events.items,
    isAll: rows.length <= mostPosts,
  }
}

const eventsBetween = (context: Context, from: Date, until: Date) =>
  findEvents(context, {
    after: from,
    before: new Date(until.getTime() - 1),
    page: { limit: 500, offset: 0, order: { column: 'startDateTime', kind: 'date', ascending: true } },
  })
