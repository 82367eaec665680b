/** Something of an account that is due, or will be. */
export interface Work {
  readonly account: string
  readonly due: Date
}

/**
 * The accounts that have work of one kind, as far as this process knows, and from when on. It is filled by notices and by looks over all
 * accounts, and is never the truth: what is missing here is found by the next look, and who has nothing to do after all costs one question.
 */
export interface Agenda {
  /** Something of the account is due then. */
  note(account: string, due: Date): void
  /** What a look over all accounts has found. Where there is not room for all of them, they come in turn. */
  noteAll(found: readonly Work[]): void
  /** The account was just served and has more to do: it comes after all who wait. */
  noteAgain(account: string): void
  /** Those whose time has come, who has waited longest first. */
  due(now: Date): Iterable<string>
  /** Strikes off an account that is about to be asked for its work: what is told from now on counts again. Tells whether it was due. */
  strike(account: string): boolean
  /** When the next one's time comes, in milliseconds. */
  next(): number
  /** Whether accounts were left out for want of room, and all others are served: then somebody has to look. */
  isShort(): boolean
}

export function openAgenda(most: number): Agenda {
  // A set and a map keep the order in which they are filled.
  const ready = new Set<string>()
  const later = new Map<string, number>()
  let earliest = Number.POSITIVE_INFINITY
  let leftOut = false
  /** The last account that came in when there was not room for all. */
  let turn = ''

  const note = (account: string, due: number) => {
    const known = later.get(account)
    if (known !== undefined && known <= due) return
    if (known === undefined && later.size >= most) {
      leftOut = true
      return
    }
    later.set(account, due)
    earliest = Math.min(earliest, due)
  }
  const makeReady = (now: number) => {
    const come = [...later].filter(([, due]) => due <= now).sort(([, one], [, other]) => one - other)
    for (const [account] of come) {
      if (ready.size >= most) break
      later.delete(account)
      ready.add(account)
    }
    earliest = Math.min(...later.values())
  }
  return {
    note: (account, due) => note(account, due.getTime()),
    noteAll(found) {
      leftOut = false
      const unknown = found.filter(({ account }) => !ready.has(account) && !later.has(account))
      const room = most - Math.max(ready.size, later.size)
      if (unknown.length <= room) {
        for (const { account, due } of found) if (!ready.has(account)) note(account, due.getTime())
        return
      }
      leftOut = true
      const next = inTurn(unknown, turn).slice(0, Math.max(0, room))
      turn = next.at(-1)?.account ?? turn
      for (const { account, due } of next) note(account, due.getTime())
    },
    noteAgain(account) {
      // Its place is another's, who was left out; the next look finds it again.
      if (leftOut || ready.size >= most) leftOut = true
      else ready.add(account)
    },
    due(now) {
      if (earliest <= now.getTime()) makeReady(now.getTime())
      return ready
    },
    strike: (account) => ready.delete(account),
    next: () => earliest,
    isShort: () => leftOut && ready.size === 0 && later.size < most,
  }
}

/** In the order of their names, those after a name first. */
function inTurn(works: readonly Work[], after: string): Work[] {
  const sorted = [...works].sort((one, other) => (one.account < other.account ? -1 : 1))
  const first = sorted.findIndex(({ account }) => account > after)
  return first < 0 ? sorted : [...sorted.slice(first), ...sorted.slice(0, first)]
}
