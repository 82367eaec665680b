import type { Stream, StreamRoute } from '#kernel/http/route/stream-route.ts'
import type { Feeds } from './feeds.ts'

export const feed: Stream = {
  path: '/feed',
  summary: 'Stream change notifications',
  needs: 'read',
  events: {
    ready: 'The feed has begun, or goes on where it was.',
    hint: 'Something changed that you may see: `{kind, id, parent, by}`. Read it again. Without an id many of the kind did.',
    reset: 'More may have changed than can be told one by one: read everything again that you look at.',
    presence: 'Somebody else is at something that you may see: `{kind, id, doing, by}`.',
  },
}

export const feedRoute = (feeds: Feeds): StreamRoute => ({
  ...feed,
  open: ({ identity, after }) => feeds.open(identity, after),
})
