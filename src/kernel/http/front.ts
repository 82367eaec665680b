import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'

export type FrontRequest = IncomingMessage
export type FrontResponse = ServerResponse

/** Answers requests that are none of the interface's, before it sees them; tells whether it has taken this one. */
export type Front = (request: FrontRequest, response: FrontResponse) => boolean

interface Timeouts {
  http?: object
  https?: object
  keepAliveTimeout: number
  requestTimeout: number
}

/** Makes the server that asks the front first; in all else as the framework would make it. */
export const serverBehind = (front: Front) => (handler: RequestListener, options: Timeouts) => {
  const listener: RequestListener = (request, response) => {
    if (!front(request, response)) handler(request, response)
  }
  const server: Server = options.https
    ? createSecureServer(options.https, listener)
    : createServer(options.http ?? {}, listener)
  server.keepAliveTimeout = options.keepAliveTimeout
  server.requestTimeout = options.requestTimeout
  return server
}
