import type { Agenda } from './agenda.ts'
import type { Reach } from './reach.ts'

/** An account that is asked for work, and how much of it this process does already. */
export interface Asked {
  readonly account: string
  readonly running: number
}

/** As much of an agenda as is needed here. */
export type Due = Pick<Agenda, 'due' | 'strike' | 'note' | 'noteAgain'>

/** What a claim took. */
export interface Taken<Claim> {
  claims: readonly Claim[]
  /** The accounts that have more that is due, or may have. */
  more: ReadonlySet<string>
}

interface Serving<Claim> {
  agenda: Due
  now: Date
  reach: Reach
  /** How many places are free. */
  free(): number
  /** How many one account may have at most, and how many it has. */
  share: number
  running(account: string): number
  /** Takes at most so many of these accounts' work in one statement: who has the fewest running first, then in the order given. */
  claim(accounts: readonly Asked[], count: number): Promise<Taken<Claim>>
  start(claim: Claim): void
}

/** Fills the free places with work of the accounts whose time has come: who has the fewest running first, then who waits longest. */
export async function serveAccounts<Claim extends { readonly account: string }>(serving: Serving<Claim>) {
  const { agenda, now, reach, share, claim, start } = serving
  const done = new Set<string>()
  // What becomes free meanwhile is for the next time, when others may have come.
  let free = serving.free()
  while (free > 0) {
    const waiting = firstOf(serving, done, Math.max(free, reach.accountsAtOnce))
    const chosen = waiting.slice(0, reach.accountsAtOnce)
    if (chosen.length === 0) return
    for (const { account } of chosen) {
      done.add(account)
      agenda.strike(account)
    }
    try {
      const count = placesFor(waiting, chosen.length, free, share)
      const { claims, more } = await claim(chosen, count)
      free -= claims.length
      // Who gave something and has more may be asked again while there is room.
      for (const { account } of claims) done.delete(account)
      const isFull = claims.length >= count
      for (const account of more) noteMore(agenda, account, now, isFull || !done.has(account))
      for (const taken of claims) start(taken)
    } catch (error) {
      for (const { account } of chosen) agenda.note(account, new Date(now.getTime() + afterFailure))
      throw error
    }
  }
}

/** Milliseconds until an account is asked again whose work others hold, or that could not be asked. */
const passedOver = 100
const afterFailure = 1_000

/** An account that has more is asked again when there is room; one whose work others hold at this moment, although there is, after a while. */
export function noteMore(agenda: Due, account: string, now: Date, isForRoom: boolean) {
  if (isForRoom) agenda.noteAgain(account)
  else agenda.note(account, new Date(now.getTime() + passedOver))
}

/** Those who come first, as many as may get a place. */
function firstOf<Claim>({ agenda, now, share, running }: Serving<Claim>, done: ReadonlySet<string>, most: number) {
  const idle: Asked[] = []
  const busy: Asked[] = []
  for (const account of agenda.due(now)) {
    if (done.has(account)) continue
    const own = { account, running: running(account) }
    if (own.running === 0) idle.push(own)
    else if (own.running < share) busy.push(own)
    if (idle.length >= most) return idle
  }
  return [...idle, ...busy.sort((one, other) => one.running - other.running)].slice(0, most)
}

/** How many of the free places the first of those who wait may take, were all of them to use what they may. */
function placesFor(waiting: readonly Asked[], first: number, free: number, share: number): number {
  if (first >= waiting.length) return free
  let left = free
  let given = 0
  for (let level = 0; level < share && left > 0; level++)
    for (const [index, { running }] of waiting.entries()) {
      // In the order of what they have: who comes after has more.
      if (running > level || left === 0) break
      left--
      if (index < first) given++
    }
  return given
}

interface Picked {
  accounts: readonly Asked[]
  share: number
  picked: readonly { readonly account: string }[]
  taken: readonly { readonly account: string }[]
  /** Whether more might have been picked of anybody. */
  isCut: boolean
}

/** Who has more after a claim, or may have: of whom more was picked than taken, or as much as one may have. */
export function accountsWithMore({ accounts, share, picked, taken, isCut }: Picked): Set<string> {
  const [picks, takes] = [counted(picked), counted(taken)]
  const hasMore = ({ account, running }: Asked) => {
    const own = picks.get(account) ?? 0
    return isCut || own >= share - running || own > (takes.get(account) ?? 0)
  }
  return new Set(accounts.filter(hasMore).map(({ account }) => account))
}

function counted(rows: readonly { readonly account: string }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { account } of rows) counts.set(account, (counts.get(account) ?? 0) + 1)
  return counts
}
