import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { among, firstKeys, type Keys, keyedList } from '#kernel/database/keyed-pages.ts'
import { invalid } from '#kernel/errors.ts'
import { find as findEvents } from '../custom-event/custom-event.ts'
import { campaignsOf } from './calendar.ts'
import {
  type CalendarFilters,
  keysIn,
  keysOfPosts,
  matchingPosts,
  mediaCount,
  postsByKeys,
  says,
  textOf,
  troubleOf,
} from './calendar-posts.ts'

const day = 24 * 60 * 60 * 1000
const mostDays = 62
/** More posts than a calendar can usefully show; a larger result is truncated at the end and marked. */
const mostPosts = 20_000
/** Rows per query. */
const pageSize = 500

interface Wanted {
  from: Date
  until: Date
  find?: string | undefined
  filters?: CalendarFilters | undefined
}

/** The posts of a time range in compact form, with the names of related rows; large results are streamed page by page. */
export async function plan(context: Context, { from, until, find = '', filters = {} }: Wanted) {
  if (until <= from) throw invalid('until must come after from.')
  if (until.getTime() - from.getTime() > mostDays * day) throw invalid(`The time must not exceed ${mostDays} days.`)
  const all = matchingPosts(context, from, until, filters)
  const matching = find === '' ? all : all.where(says(context, find))
  const first = await leanPosts(context, matching)
    .limit(pageSize + 1)
    .execute()
  const isWhole = first.length <= pageSize
  const keys = isWhole ? keysIn(first) : await keysOfPosts(context, matching.limit(mostPosts + 1))
  const wanted = firstKeys(keys.posts, mostPosts)
  const [campaigns, credentials, events] = await Promise.all([
    campaignsOf(context, keys.campaigns),
    profilesOf(context, keys.credentials),
    eventsBetween(context, from, until),
  ])
  const posts = isWhole
    ? first.map(shown)
    : await keyedList(wanted, pageSize, async (some) =>
        (await leanPosts(context, postsByKeys(context, some)).execute()).map(shown),
      )
  return { posts, campaigns, credentials, customEvents: events.items, isAll: wanted.length === keys.posts.length }
}

const leanPosts = (context: Context, posts: ReturnType<typeof matchingPosts>) =>
  posts
    .select(['id', 'campaignId', 'network', 'credentialIds', 'messageId', 'startDateTime as at', 'status'])
    .select(['approveStatus', troubleOf(context).as('trouble'), textOf(context).as('text')])
    .select(mediaCount(context).as('media'))

type LeanPost = Awaited<ReturnType<ReturnType<typeof leanPosts>['execute']>>[number]

/** Default values are omitted. */
const shown = ({ approveStatus, trouble, media, ...post }: LeanPost) => ({
  ...post,
  approveStatus: approveStatus === 'Approved' ? undefined : approveStatus,
  trouble: trouble || undefined,
  media: media || undefined,
})

/** Includes deleted profiles, since posts still refer to them. */
const profilesOf = ({ db, accountId }: Context, ids: Keys) =>
  keyedList(ids, pageSize, (some) =>
    db
      .selectFrom('credentials')
      .select(['id', 'displayName as name', 'network', 'imageLink'])
      .select(sql<boolean>`status = 'valid'`.as('isValid'))
      .where('accountId', '=', accountId)
      .where(among('id', some))
      .execute(),
  )

const eventsBetween = (context: Context, from: Date, until: Date) =>
  findEvents(context, {
    after: from,
    before: new Date(until.getTime() - 1),
    page: { limit: 500, offset: 0, order: { column: 'startDateTime', kind: 'date', ascending: true } },
  })
