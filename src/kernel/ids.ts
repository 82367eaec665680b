import { randomInt } from 'node:crypto'

/** The prefix each kind of thing carries in its id. */
export const idPrefixes = {
  account: '001',
  user: '00A',
  team: '025',
  campaign: '002',
  workflow: 'cwf',
  board: 'brd',
  apiKey: 'key',
  job: '0jb',
  worker: '0jw',
} as const

export type IdKind = keyof typeof idPrefixes

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const timeLength = 7
const tailLength = 5
const tails = digits.length ** tailLength

let lastTime = 0
let lastTail = 0

/** A new id: the prefix, seven base62 characters of milliseconds, five that never repeat within a millisecond. */
export function newId(kind: IdKind, now: Date): string {
  const time = now.getTime()
  lastTail = time === lastTime ? (lastTail + 1) % tails : randomInt(tails)
  lastTime = time
  return idPrefixes[kind] + base62(time, timeLength) + base62(lastTail, tailLength)
}

/** Whether the text has the form of an id of this kind; whether such a thing exists is another question. */
export function isId(kind: IdKind, text: string): boolean {
  return text.startsWith(idPrefixes[kind]) && /^[0-9A-Za-z]{15}$/.test(text)
}

function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / digits.length)) {
    text = digits[rest % digits.length] + text
  }
  return text
}
