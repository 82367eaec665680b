import type { Stream, StreamRoute } from '#kernel/http/route/stream-route.ts'
import type { Feeds } from './feeds.ts'

export const feed: Stream = {
  path: '/feed',
  summary: 'Stream change notifications',
  needs: 'read',
  events: {
    ready: 'The feed has started or resumed.',
    hint: 'A change notification, `{kind, id, parent, by}`: read the resource again. Without an id many of the kind changed.',
    reset: 'More may have changed than can be reported: read all displayed data again.',
    presence: 'Another user is active on a resource: `{kind, id, doing, by}`.',
  },
}

export const feedRoute = (feeds: Feeds): StreamRoute => ({
  ...feed,
  open: ({ identity, after }) => feeds.open(identity, after),
})
