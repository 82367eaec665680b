import type { Clock } from '#kernel/clock.ts'
import { newId } from '#kernel/ids.ts'
import { aboutOf } from '../../click/click-bundle.ts'
import { linkIds } from '../../declarations.ts'
import type { WaitingClick } from '../intake/click-intake.ts'
import type { ShortHost } from '../store/short-hosts.ts'
import type { ShortLink } from '../store/short-link.ts'
import { classByRequest, type Headers, openAgents, requestsNoTracking } from './request-class.ts'
import { type CookieForm, cookieForm, type Visitors, visitorOf } from './visitor.ts'

/** The click of a visit with its pending response and new cookie; empty if there is one or none is allowed. */
export interface Visit<Response> extends WaitingClick {
  readonly cookie: string
  readonly method: string
  readonly response: Response
  readonly destination: ShortLink
}

/** Sender of a request. */
export interface Visitor<Response> {
  readonly method: string
  readonly response: Response
  /** Monotonic time of arrival. */
  readonly since: number
}

/** Stored length of a user agent. */
const userAgentLength = 500
const day = 86_400_000

export function openVisits<Response>(clock: Clock, visitors: Visitors) {
  const agentOf = openAgents()
  const forms = new Map<string, CookieForm>()
  const formOf = (prefix: string, secure: boolean): CookieForm => {
    const key = secure ? prefix : `http ${prefix}`
    const form = forms.get(key) ?? cookieForm(prefix, secure)
    forms.set(key, form)
    return form
  }

  /** Classifies a visit and identifies its visitor. */
  return (
    destination: ShortLink,
    { prefix }: ShortHost,
    { method, response, since }: Visitor<Response>,
    headers: Headers,
    { address, secure }: { address: string; secure: boolean },
  ): Visit<Response> => {
    const now = clock.now()
    const at = now.getTime()
    const userAgent = cut(headers.userAgent)
    const agent = agentOf(userAgent)
    const byRequest = classByRequest(method, headers.purpose)
    const isHuman = agent.isHuman && !byRequest
    let visitor: string | undefined
    let cookie = ''
    if (isHuman && !(destination.respectsDoNotTrack && requestsNoTracking(headers))) {
      visitor = visitorOf(headers.cookie)
      if (visitor === undefined) {
        visitor = visitors.newcomer(destination.id, address, agent.name, at)
        const { before, after } = formOf(prefix, secure)
        cookie = before + visitor + after
      }
    } else visitor = visitors.stranger(String(Math.floor(at / day)), address, userAgent)
    // One object literal: a constant shape is fastest in the engine.
    return {
      account: destination.account,
      link: destination.id,
      id: newId(linkIds.click, now),
      at,
      visitor,
      address,
      about: byRequest ? aboutOf({ ...byRequest, userAgent }) : agent.about,
      cookie,
      method,
      response,
      destination,
      since,
      // HEAD requests don't wait.
      answered: method === 'HEAD',
    }
  }
}

export const cut = (userAgent: string) =>
  userAgent.length > userAgentLength ? userAgent.slice(0, userAgentLength) : userAgent
