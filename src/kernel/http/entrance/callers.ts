import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../errors.ts'
import { type Identities, type Identity, unknownCaller } from '../../identities.ts'
import { sessionToken } from './session-cookie.ts'

/** The one place that reads credentials. */
export interface Callers {
  byKey(request: IncomingMessage): Identity | Promise<Identity>
  /** By the session of a browser, or else by a key. */
  bySessionOrKey(request: IncomingMessage, secure: boolean): Identity | Promise<Identity>
}

export function openCallers(keys: Identities, sessions: Identities): Callers {
  const byKey: Callers['byKey'] = ({ headers: { authorization } }) => {
    if (!authorization) throw unknownCaller()
    return keys.identify(authorization)
  }
  const bySession = async (token: string, request: IncomingMessage) => {
    try {
      return await sessions.identify(token)
    } catch (error) {
      const isOver = error instanceof Refusal && error.kind === 'unauthenticated'
      if (!isOver || !request.headers.authorization) throw error
      return byKey(request)
    }
  }
  return {
    byKey,
    bySessionOrKey(request, secure) {
      const token = sessionToken(request.headers.cookie, secure)
      return token === undefined ? byKey(request) : bySession(token, request)
    },
  }
}
