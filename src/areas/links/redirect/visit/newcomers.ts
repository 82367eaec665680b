import { randomFillSync, randomInt } from 'node:crypto'

export const visitorIdLength = 22

/**
 * Gives visitors who have no id yet one; for a while the same to who looks the same, because a second click may leave before the
 * first one's answer arrives.
 */
export type Newcomers = (link: string, address: string, agent: string, now: number) => string

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
export function openNewcomers(places = 16_384): Newcomers {
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
