import { type FeedClient, listenTo } from '../../tests/support/feed-client.ts'

/** What open feeds received. */
export interface FeedTally {
  /** Notifications of posts that a feed should have received and did not. */
  gaps: number
  /** The service could not tell what changed, and asked for a reload. */
  resets: number
  /** Summaries in place of many notifications of posts. */
  summaries: number
  closed: number
}

interface FeedOptions {
  url: string
  /** Credentials of the users, dealt out in turn. */
  headers: readonly Record<string, string>[]
  count: number
}

const drainMs = 500

/** Opens feeds of users who may all see the same posts. */
export async function openFeeds({ url, headers, count }: FeedOptions) {
  const feeds = await Promise.all(
    Array.from({ length: count }, (_, index) => listenTo(`${url}/app/api/feed`, headers[index % headers.length] ?? {})),
  )
  const refused = feeds.find(({ status }) => status !== 200)
  if (refused) throw new Error(`A feed was answered with ${refused.status}.`)
  let [resets, summaries, closed] = [0, 0, 0]
  let isStopping = false
  for (const feed of feeds)
    void feed.over.then(() => {
      if (!isStopping) closed++
    })
  /** The feeds that were told of a post. */
  const told = new Map<string, Set<FeedClient>>()
  const drain = () => {
    for (const feed of feeds)
      for (const { name, data } of feed.events.splice(0)) {
        if (name === 'reset') resets++
        else if (name !== 'hint' || data.kind !== 'post') continue
        else if (data.id === null) summaries++
        else {
          const known = told.get(data.id)
          if (known) known.add(feed)
          else told.set(data.id, new Set([feed]))
        }
      }
  }
  const timer = setInterval(drain, drainMs)
  return {
    /** Of these posts, all of which every feed should know. */
    tally(posts: readonly string[]): FeedTally {
      drain()
      const gaps = posts.reduce((sum, id) => sum + count - (told.get(id)?.size ?? 0), 0)
      return { gaps, resets, summaries, closed }
    },
    stop() {
      isStopping = true
      clearInterval(timer)
      for (const feed of feeds) feed.close()
    },
  }
}
