import { createHmac, randomFillSync, randomInt } from 'node:crypto'

const visitorCookie = 'chorus_visitor'
const marker = `${visitorCookie}=`

/** The visitor's id in a Cookie header, if there is one that may have come from us. */
export function visitorOf(header: string): string | undefined {
  for (let at = header.indexOf(marker); at >= 0; at = header.indexOf(marker, at + 1)) {
    // Another cookie's name may end like ours.
    if (at > 0 && header[at - 1] !== ' ' && header[at - 1] !== ';') continue
    const value = header.slice(at + marker.length, at + marker.length + visitorIdLength)
    const next = header.charCodeAt(at + marker.length + visitorIdLength)
    if (/^[\w-]{22}$/.test(value) && (Number.isNaN(next) || next === semicolon)) return value
  }
  return undefined
}

const semicolon = 59

/** The cookie of a new visitor, except for its id, which stands between the two parts. */
export interface CookieForm {
  readonly before: string
  readonly after: string
}

/**
 * Pixels on other sites send the cookie only if it is `SameSite=None`, which browsers take over https alone; without it, Lax is
 * the widest there is. It belongs to the short links' part of the host, not to the rest of the service.
 */
export const cookieForm = (prefix: string, secure: boolean): CookieForm => ({
  before: marker,
  after:
    `; Max-Age=${365 * 86_400}; Path=${prefix === '/' ? '/' : prefix.slice(0, -1)}; HttpOnly; ` +
    (secure ? 'SameSite=None; Secure' : 'SameSite=Lax'),
})

export interface Visitors {
  /** The id of who has no cookie yet and is to get one. */
  readonly newcomer: Newcomers
  /** The id of who gets no cookie: good for one day, and nothing can be read from it. */
  stranger(day: string, address: string, userAgent: string): string
}

export const openVisitors = (secret: () => Buffer): Visitors => ({
  newcomer: openNewcomers(),
  stranger: (day, address, userAgent) =>
    createHmac('sha256', secret())
      .update(`${day}\n${address}\n${userAgent}`)
      .digest('base64url')
      .slice(0, visitorIdLength),
})

const visitorIdLength = 22

/**
 * Gives visitors who have no id yet one; for a while the same to who looks the same, because a second click may leave before the
 * first one's answer arrives.
 */
type Newcomers = (link: string, address: string, agent: string, now: number) => string

const sameFor = 30
const seeds = [randomInt(2 ** 31), randomInt(2 ** 31)] as const
/** A place: who it is in two numbers, until which second, and an id of five. */
const placeSize = 8
const idAt = 3
const idSize = 5
const idBytes = 17

/**
 * Remembers the latest ones in a table of fixed size with nothing for the garbage collector to look through: nearly every click makes
 * one. Each has one place; whoever comes to a place that is taken by another takes it over.
 */
function openNewcomers(places = 16_384): Newcomers {
  const table = new Uint32Array(places * placeSize)
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
    const place = (one % places) * placeSize
    const second = Math.floor(now / 1000)
    if (table[place] !== one || table[place + 1] !== other || (table[place + 2] as number) <= second) {
      table[place] = one
      table[place + 1] = other
      table[place + 2] = second + sameFor
      draw(table, place + idAt)
    }
    const start = (place + idAt) * 4
    return bytes.toString('base64url', start, start + idBytes).slice(0, visitorIdLength)
  }
}

// Drawn many at a time: asking the system for each costs more than the rest of a click.
const pool = new Uint32Array(idSize * 512)
let drawn = pool.length

function draw(into: Uint32Array, at: number) {
  if (drawn === pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  for (let index = 0; index < idSize; index++) into[at + index] = pool[drawn++] as number
}
