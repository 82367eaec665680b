import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors.ts'
import { type Identities, type Identity, unknownCaller } from '../../identities.ts'

/** The one place that reads credentials. */
export interface Authentication {
  byKey(request: IncomingMessage): Identity | Promise<Identity>
  /** By the session of a browser, or else by a key. */
  bySessionOrKey(request: IncomingMessage, secure: boolean): Identity | Promise<Identity>
}

export function openAuthentication(keys: Identities, sessions: Identities): Authentication {
  const byKey: Authentication['byKey'] = ({ headers: { authorization } }) => {
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

/** What keeps a session in a browser: sent back to this host alone, kept from scripts and from requests that other sites make. */
const names = { secure: '__Host-chorus', plain: 'chorus' } as const

export interface CookieWish {
  token: string
  /** How long the browser keeps it; until it is closed when left out. */
  seconds?: number | undefined
}

/** The session that a request carries. By TLS only the name counts that no other host and no plain page can set. */
export function sessionToken(header: string | undefined, secure: boolean): string | undefined {
  if (!header?.includes(names.plain)) return undefined
  return readCookies(header)[nameFor(secure)] || undefined
}

/** Sets the cookie, or takes it away where there is no token. */
export function sessionCookie(wish: CookieWish | 'none', secure: boolean): string {
  const { token, seconds } = wish === 'none' ? { token: '', seconds: 0 } : wish
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`
  return `${nameFor(secure)}=${token}; Path=/; HttpOnly; SameSite=Lax${age}${secure ? '; Secure' : ''}`
}

const nameFor = (secure: boolean) => (secure ? names.secure : names.plain)

/** Of two cookies with one name the first counts: browsers send the more specific one first. */
export function readCookies(header = ''): { readonly [name: string]: string } {
  const cookies: { [name: string]: string } = Object.create(null)
  for (const pair of header.split(';')) {
    const split = pair.indexOf('=')
    const name = pair.slice(0, Math.max(split, 0)).trim()
    if (name !== '' && !(name in cookies)) cookies[name] = pair.slice(split + 1).trim()
  }
  return cookies
}

/** How often one session may call: apart from the limits of API keys, and never with their block. */
export interface SessionLimits {
  readonly policy: string
  /** Counts a call; gives after how many seconds the next one is possible if this one is not. */
  admit(sessionId: string): number | undefined
}

const calls = 120
const windowMs = 10_000
const remembered = 10_000

/** When the last calls were, in a ring. */
interface Track {
  readonly times: Float64Array
  next: number
}

/** Each process counts for itself: a browser keeps its few connections, and the figure is there to stop runaway pages. */
export function openSessionLimits(clock: Clock): SessionLimits {
  const tracks = new Map<string, Track>()
  const trackOf = (sessionId: string): Track => {
    const track = tracks.get(sessionId) ?? { times: new Float64Array(calls), next: 0 }
    // Whoever called last is forgotten last.
    tracks.delete(sessionId)
    if (tracks.size >= remembered) tracks.delete(tracks.keys().next().value ?? '')
    tracks.set(sessionId, track)
    return track
  }
  return {
    policy: `"session";q=${calls};w=${windowMs / 1000}`,
    admit(sessionId) {
      const now = clock.now().getTime()
      const track = trackOf(sessionId)
      const oldest = track.times[track.next] ?? 0
      const left = oldest + windowMs - now
      // A clock that was set back must not keep anybody out.
      if (left > 0 && left <= windowMs) return Math.ceil(left / 1000)
      track.times[track.next] = now
      track.next = (track.next + 1) % calls
      return undefined
    },
  }
}

/** Slows down whoever tries one key after the other; those who are known never wait. */
interface KeyThrottle {
  /** To be waited for before this address is told that its key is wrong. */
  hold(address: string): Promise<void>
}

/** From one address: so many in a window are mistakes, more of them are attempts. */
const mistakes = 50
const mistakeWindowMs = 10_000
const holdMs = 1_000
const rememberedAddresses = 10_000

export function openKeyThrottle(): KeyThrottle {
  let counts = new Map<string, number>()
  let since = 0
  return {
    async hold(address) {
      if (performance.now() - since > mistakeWindowMs || counts.size >= rememberedAddresses) {
        counts = new Map()
        since = performance.now()
      }
      const count = (counts.get(address) ?? 0) + 1
      counts.set(address, count)
      if (count > mistakes) await sleep(holdMs)
    },
  }
}
