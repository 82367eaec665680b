import { createHmac, randomFillSync, randomInt } from 'node:crypto'

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
export interface CookieForm {
  readonly before: string
  readonly after: string
}

/**
 * Pixels on other sites send the cookie only with `SameSite=None`, which requires https; otherwise Lax is the widest. Its path is
 * that of short links, not of the rest of the service.
 */
export const cookieForm = (prefix: string, secure: boolean): CookieForm => ({
  before: marker,
  after:
    `; Max-Age=${365 * 86_400}; Path=${prefix === '/' ? '/' : prefix.slice(0, -1)}; HttpOnly; ` +
    (secure ? 'SameSite=None; Secure' : 'SameSite=Lax'),
})

export interface Visitors {
  /** Id of a visitor who gets a new cookie. */
  readonly newcomer: Newcomers
  /** Id of a visitor without cookie: valid for one day, not reversible. */
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
 * Assigns ids to new visitors; for a while the same id to the same fingerprint, because a second click may be sent before the
 * first response arrives.
 */
type Newcomers = (link: string, address: string, agent: string, now: number) => string

const sameFor = 30
const seeds = [randomInt(2 ** 31), randomInt(2 ** 31)] as const
/** A slot: fingerprint in two numbers, expiry second, and an id of five. */
const slotSize = 8
const idAt = 3
const idSize = 5
const idBytes = 17

/**
 * Fixed-size table without garbage collector work, since nearly every click adds an entry. Each entry has one slot; collisions
 * overwrite it.
 */
function openNewcomers(slots = 16_384): Newcomers {
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
      table[slot + 2] = second + sameFor
      draw(table, slot + idAt)
    }
    const start = (slot + idAt) * 4
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
