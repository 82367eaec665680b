import { createHmac, randomFillSync, randomInt } from 'node:crypto'
import { type Clock, day } from '#kernel/clock.ts'
import { newId } from '#kernel/ids.ts'
import { aboutOf } from '../click/click-bundle.ts'
import { linkIds } from '../declarations.ts'
import type { WaitingClick } from './click-intake.ts'
import { classByRequest, type Headers, openAgents, requestsNoTracking } from './request-class.ts'
import type { ShortHost } from './store/short-hosts.ts'
import type { ShortLink } from './store/short-link.ts'

/** The click of a visit with its pending response and new cookie; empty if there is one or none is allowed. */
export interface Visit<Response> extends WaitingClick {
  readonly cookie: string
  readonly method: string
  readonly response: Response
  readonly destination: ShortLink
}

/** Sender of a request. */
interface Visitor<Response> {
  readonly method: string
  readonly response: Response
  /** Monotonic time of arrival. */
  readonly since: number
}

/** Stored length of a user agent. */
const userAgentLength = 500

export function openVisits<Response>(clock: Clock, secret: () => Buffer) {
  const visitors = openVisitors(secret)
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
        visitor = visitors.newId(destination.id, address, agent.name, at)
        const { before, after } = formOf(prefix, secure)
        cookie = before + visitor + after
      }
    } else visitor = visitors.dailyId(String(Math.floor(at / day)), address, userAgent)
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

const visitorCookie = 'chorus_visitor'
const marker = `${visitorCookie}=`

/** Visitor id in a Cookie header, if it has a valid format. */
export function visitorOf(header: string): string | undefined {
  for (let at = header.indexOf(marker); at >= 0; at = header.indexOf(marker, at + 1)) {
    // Another cookie's name may have the same ending.
    if (at > 0 && header[at - 1] !== ' ' && header[at - 1] !== ';') continue
    const value = header.slice(at + marker.length, at + marker.length + visitorIdLength)
    const next = header.charCodeAt(at + marker.length + visitorIdLength)
    if (/^[\w-]{22}$/.test(value) && (Number.isNaN(next) || next === semicolon)) return value
  }
  return undefined
}

const semicolon = 59

/** Cookie of a new visitor, split around its id. */
interface CookieForm {
  readonly before: string
  readonly after: string
}

/**
 * Pixels on other sites send the cookie only with `SameSite=None`, which requires https; otherwise Lax is the widest. Its path is
 * that of short links, not of the rest of the service.
 */
const cookieForm = (prefix: string, secure: boolean): CookieForm => ({
  before: marker,
  after:
    `; Max-Age=${365 * 86_400}; Path=${prefix === '/' ? '/' : prefix.slice(0, -1)}; HttpOnly; ` +
    (secure ? 'SameSite=None; Secure' : 'SameSite=Lax'),
})

interface Visitors {
  /** Id of a new visitor, who gets a cookie. */
  readonly newId: NewVisitorIds
  /** Id of a visitor without a cookie: valid for one day, not reversible. */
  dailyId(day: string, address: string, userAgent: string): string
}

const openVisitors = (secret: () => Buffer): Visitors => ({
  newId: openNewVisitorIds(),
  dailyId: (day, address, userAgent) =>
    createHmac('sha256', secret())
      .update(`${day}\n${address}\n${userAgent}`)
      .digest('base64url')
      .slice(0, visitorIdLength),
})

const visitorIdLength = 22

/**
 * Assigns ids to new visitors; for a while the same id to the same fingerprint, because a second click may be sent before the
 * first response arrives.
 */
type NewVisitorIds = (link: string, address: string, agent: string, now: number) => string

const reuseSeconds = 30
const seeds = [randomInt(2 ** 31), randomInt(2 ** 31)] as const
/** A slot: fingerprint in two numbers, expiry second, and an id of five. */
const slotSize = 8
const idOffset = 3
const idSize = 5
const idBytes = 17

/**
 * Fixed-size table without garbage collector work, since nearly every click adds an entry. Each entry has one slot; collisions
 * overwrite it.
 */
function openNewVisitorIds(slots = 16_384): NewVisitorIds {
  const table = new Uint32Array(slots * slotSize)
  const bytes = Buffer.from(table.buffer)
  return (link, address, agent, now) => {
    let one: number = seeds[0]
    let other: number = seeds[1]
    for (const part of [link, address, agent]) {
      for (let at = 0; at < part.length; at++) {
        const code = part.charCodeAt(at)
        one = Math.imul(one ^ code, 0x01000193)
        other = Math.imul(other ^ code, 0x85ebca6b) ^ (other >>> 13)
      }
      one = Math.imul(one ^ 0x100, 0x01000193)
    }
    one >>>= 0
    other >>>= 0
    const slot = (one % slots) * slotSize
    const second = Math.floor(now / 1000)
    if (table[slot] !== one || table[slot + 1] !== other || (table[slot + 2] as number) <= second) {
      table[slot] = one
      table[slot + 1] = other
      table[slot + 2] = second + reuseSeconds
      draw(table, slot + idOffset)
    }
    const start = (slot + idOffset) * 4
    return bytes.toString('base64url', start, start + idBytes).slice(0, visitorIdLength)
  }
}

// Random values are drawn in bulk: a system call per click would dominate its cost.
const pool = new Uint32Array(idSize * 512)
let drawn = pool.length

function draw(into: Uint32Array, at: number) {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  for (let index = 0; index < idSize; index++) into[at + index] = pool[drawn++] as number
}
