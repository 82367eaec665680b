import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { parts } from '#kernel/wire/replies.ts'
import { compose } from './compose.ts'
import { composed, composition } from './compose-shape.ts'

export const endpoints = [
  appEndpoint('POST /compose', {
    operationId: 'composePosts',
    summary: 'Make all messages and posts of what somebody composed for several networks, or nothing',
    needs: 'contribute',
    params: composition,
    reply: parts(composed),
    run: compose,
  }),
]
