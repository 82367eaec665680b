import type { Clock } from '#kernel/clock.ts'
import { newId } from '#kernel/ids.ts'
import { aboutOf } from '../../click/click-bundle.ts'
import { linkIds } from '../../declarations.ts'
import type { WaitingClick } from '../intake/click-intake.ts'
import type { ShortHost } from '../store/short-hosts.ts'
import type { ShortLink } from '../store/short-link.ts'
import { asksNotToBeTracked, classByRequest, type Headers, openAgents } from './request-class.ts'
import { type CookieForm, cookieForm, type Visitors, visitorOf } from './visitor.ts'

/** The click that a visit makes, whoever waits for its answer, and the cookie to give; empty where there is one or none is wanted. */
export interface Visit<Response> extends WaitingClick {
  readonly cookie: string
  readonly method: string
  readonly response: Response
  readonly destination: ShortLink
}

/** Who asks, and how. */
export interface Visitor<Response> {
  readonly method: string
  readonly response: Response
  /** When the request came, by the process's own clock. */
  readonly since: number
}

/** What the database keeps of a user agent. */
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

  /** Tells apart who came to a link: a person or a program, and who has been here before. */
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
    if (isHuman && !(destination.respectsDoNotTrack && asksNotToBeTracked(headers))) {
      visitor = visitorOf(headers.cookie)
      if (visitor === undefined) {
        visitor = visitors.newcomer(destination.id, address, agent.name, at)
        const { before, after } = formOf(prefix, secure)
        cookie = before + visitor + after
      }
    } else visitor = visitors.stranger(String(Math.floor(at / day)), address, userAgent)
    // One object, made once: the fields that look the same each time are what the engine likes best.
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
      // Whoever wants no content is not kept waiting.
      answered: method === 'HEAD',
    }
  }
}

export const cut = (userAgent: string) =>
  userAgent.length > userAgentLength ? userAgent.slice(0, userAgentLength) : userAgent
