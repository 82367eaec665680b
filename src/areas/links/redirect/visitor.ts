import { createHmac, randomFillSync } from 'node:crypto'

const visitorCookie = 'chorus_visitor'
const idLength = 22
const marker = `${visitorCookie}=`

/** The visitor's id in a Cookie header, if there is one that may have come from us. */
export function visitorOf(header: string): string | undefined {
  for (let at = header.indexOf(marker); at >= 0; at = header.indexOf(marker, at + 1)) {
    // Another cookie's name may end like ours.
    if (at > 0 && header[at - 1] !== ' ' && header[at - 1] !== ';') continue
    const value = header.slice(at + marker.length, at + marker.length + idLength)
    const next = header.charCodeAt(at + marker.length + idLength)
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

/** How long who sends no cookie is taken for the same visitor: a second click may leave before the first one's answer arrives. */
const sameFor = 30_000
const remembered = 20_000

export interface Visitors {
  /** The id of who has no cookie yet and is to get one. */
  newcomer(link: string, address: string, userAgent: string, now: number): string
  /** The id of who gets no cookie: good for one day, and nothing can be read from it. */
  stranger(day: string, address: string, userAgent: string): string
}

export function openVisitors(secret: () => Buffer): Visitors {
  let recent = new Map<string, { id: string; until: number }>()
  let older = new Map<string, { id: string; until: number }>()
  let turned = 0
  const remember = (key: string, id: string, now: number) => {
    if (recent.size >= remembered || now - turned > sameFor) {
      older = recent
      recent = new Map()
      turned = now
    }
    recent.set(key, { id, until: now + sameFor })
  }
  return {
    newcomer(link, address, userAgent, now) {
      const key = `${link} ${address} ${userAgent}`
      const known = recent.get(key) ?? older.get(key)
      if (known && known.until > now) return known.id
      const id = randomId()
      remember(key, id, now)
      return id
    },
    stranger: (day, address, userAgent) =>
      createHmac('sha256', secret()).update(`${day}\n${address}\n${userAgent}`).digest('base64url').slice(0, idLength),
  }
}

// Drawn many at a time: asking the system for each costs more than the rest of a click.
const idBytes = 17
const pool = Buffer.allocUnsafe(idBytes * 512)
let drawn = pool.length

function randomId(): string {
  if (drawn + idBytes > pool.length) {
    randomFillSync(pool)
    drawn = 0
  }
  drawn += idBytes
  return pool.toString('base64url', drawn - idBytes, drawn).slice(0, idLength)
}
