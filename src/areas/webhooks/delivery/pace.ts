/** How fast a receiver answers. One that is slow, or not known yet, never takes a place from the fast ones. */
export type Pace = 'fast' | 'new' | 'slow'

export const paces: readonly Pace[] = ['fast', 'new', 'slow']

/** A call that takes longer is a slow one. */
export const slowAfter = 2_000

/** Webhooks one process serves at a time. Slow ones leave room among the slow calls for those that turn out to be slow. */
export const heldLanes: Record<Pace, number> = { fast: 64, new: 32, slow: 64 }
/** Calls to one webhook at a time. */
export const callsPerLane: Record<Pace, number> = { fast: 4, new: 1, slow: 1 }
/** Calls one process makes at a time: together fewer than the outbound module allows. */
const sizes: Record<Pace, number> = { fast: 192, new: 32, slow: 224 }

export interface Places {
  /** Gives a place, at once when there is one. `slowed` is told if the call turns out to be slow. */
  take(pace: Pace, slowed: () => void): Place | Promise<Place>
  /** Moves the calls that have turned out to be slow over to the slow ones, as far as there is room. */
  demoteSlow(): void
}

/** Places in three rooms; whoever finds its room full waits in line. */
export function openPlaces(): Places {
  const rooms: Record<Pace, Room> = { fast: new Room(sizes.fast), new: new Room(sizes.new), slow: new Room(sizes.slow) }
  const taken = new Set<Place>()
  return {
    take(pace, slowed) {
      const waiting = rooms[pace].enter()
      if (!waiting) return new Place(rooms[pace], taken, slowed)
      return waiting.then(() => new Place(rooms[pace], taken, slowed))
    },
    demoteSlow() {
      const before = performance.now() - slowAfter
      // In the order in which they were taken: the first young one ends it.
      for (const place of taken) {
        if (place.begun > before) return
        place.demote(rooms.slow)
      }
    },
  }
}

/** One is made for every call: hence the class. */
export class Place {
  readonly begun = performance.now()
  private room: Room
  private readonly taken: Set<Place>
  private readonly slowed: () => void

  constructor(room: Room, taken: Set<Place>, slowed: () => void) {
    this.room = room
    this.taken = taken
    this.slowed = slowed
    taken.add(this)
  }

  demote(slow: Room) {
    this.slowed()
    if (this.room === slow || !slow.hasRoom()) return
    this.room.leave()
    this.room = slow
    slow.enter()
  }

  leave() {
    this.taken.delete(this)
    this.room.leave()
  }
}

class Room {
  private readonly size: number
  private taken = 0
  private readonly line: (() => void)[] = []

  constructor(size: number) {
    this.size = size
  }

  hasRoom(): boolean {
    return this.taken < this.size
  }

  enter(): Promise<void> | undefined {
    if (!this.hasRoom()) return new Promise((resolve) => this.line.push(resolve))
    this.taken++
    return undefined
  }

  leave() {
    const next = this.line.shift()
    // The place goes straight to whoever waits for it.
    if (next) next()
    else this.taken--
  }
}
