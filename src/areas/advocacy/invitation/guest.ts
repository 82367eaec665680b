import type { boardRoles } from '../board/board-shape.ts'

/** Somebody who is to be on a board: a new one by their address and names, an advocate of it by their id. */
export interface Guest {
  email?: string | undefined
  userId?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  role?: (typeof boardRoles)[number] | undefined
}

/** One who is asked for, and what becomes of it: a user, or what is wrong and in which field. */
export interface Candidate {
  guest: Guest
  user?: { id: string; name: string; email: string }
  problem?: { field: string; message: string } | undefined
}

/** With what is missing or too much, as far as it can be told without looking anybody up. */
export const candidateOf = (guest: Guest): Candidate => ({ guest, problem: problemOf(guest) })

function problemOf({ email, userId, firstName, lastName }: Guest): Candidate['problem'] {
  if (email !== undefined && userId !== undefined)
    return { field: 'userId', message: 'Give either email or userId, not both.' }
  if (userId !== undefined) return undefined
  const [absent] = Object.entries({ email, firstName, lastName }).find(([, value]) => value === undefined) ?? []
  return absent === undefined ? undefined : { field: absent, message: `Missing value for parameter ${absent}.` }
}

/** Of those who are named twice in one request the first counts. */
export function refuseRepeated(candidates: readonly Candidate[]) {
  const first = new Map<string, number>()
  for (const [place, candidate] of candidates.entries()) {
    if (candidate.problem) continue
    const { email, userId = '' } = candidate.guest
    const key = email?.toLowerCase() ?? userId
    const before = first.get(key)
    const field = email === undefined ? 'userId' : 'email'
    if (before === undefined) first.set(key, place)
    else candidate.problem = { field, message: `The same ${field} stands in entry ${before + 1} already.` }
  }
}
