import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { list } from './stream-item.ts'
import { streamContent, streamItemSearch } from './stream-item-shape.ts'

/** A column of the console. A request counts as viewing the stream: it is fetched for some minutes from then on. */
export const endpoints = [
  appEndpoint('GET /stream/{id}/items', {
    summary: 'List the items of a stream, newest first; continue with _after and a page’s Next',
    needs: 'read',
    params: streamItemSearch,
    reply: streamContent,
    run: list,
  }),
]
