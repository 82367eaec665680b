import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { parts } from '#kernel/wire/replies.ts'
import { compose } from './compose.ts'
import { composed, composition } from './compose-shape.ts'

export const endpoints = [
  appEndpoint('POST /compose', {
    operationId: 'composePosts',
    summary: 'Create all messages and posts of a composition for several networks, or none',
    needs: 'contribute',
    params: composition,
    reply: parts(composed),
    run: compose,
  }),
]
