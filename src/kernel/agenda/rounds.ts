import type { Clock } from '../clock.ts'
import type { Agenda } from './agenda.ts'

interface RoundsOptions {
  clock: Clock
  agendas: readonly Agenda[]
  /** Milliseconds from one round to the next. */
  every: number
  /** Looks for whatever nobody told of. */
  round(): Promise<void>
  /** Serves the accounts whose time has come. It asks the database only where there are some. */
  serve(): Promise<void>
  failed(error: unknown): void
}

export interface Rounds {
  /** Serves right after what is under way. Whoever has noted something asks. */
  ask(): void
  /** Makes a round at once. */
  roundNow(): void
  /** Begins nothing more, and ends when nothing is under way. */
  stop(): Promise<void>
}

/** A round that takes long is made less often: rounds never have more than this part of the time. */
const part = 1 / 5
/** Milliseconds: a clock that stands still must not keep the process busy. */
const shortest = 10

/** How far looks reach ahead, in milliseconds: over the time until the next one, with some left if that comes late. */
export const ahead = (every: number) => 3 * every

/** Serves accounts when their time comes, and makes a round every so often; one thing at a time. */
export function startRounds({ clock, agendas, every, round, serve, failed }: RoundsOptions): Rounds {
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let roundAt = 0
  let asked = false
  let wanted = false
  let stopped = false

  const serveThem = async () => {
    await serve().catch(failed)
    if (agendas.some((agenda) => agenda.isShort())) roundNow()
    sleep()
  }
  const ask = () => {
    if (asked || stopped) return
    asked = true
    running = running.then(() => {
      asked = false
      return serveThem()
    })
  }
  const roundNow = () => {
    if (wanted || stopped) return
    wanted = true
    running = running.then(async () => {
      wanted = false
      const begun = performance.now()
      await round().catch(failed)
      const took = performance.now() - begun
      roundAt = performance.now() + Math.max(every, took / part)
      await serveThem()
    })
  }
  const sleep = () => {
    clearTimeout(timer)
    if (stopped) return
    const untilRound = roundAt - performance.now()
    const untilNext = Math.min(...agendas.map((agenda) => agenda.next())) - clock.now().getTime()
    timer = setTimeout(wake, Math.max(shortest, Math.min(untilRound, untilNext, every)))
  }
  /** Clocks may be moved: whether anybody's time has come is asked every so often, whatever was slept for. */
  const wake = () => (performance.now() >= roundAt ? roundNow() : ask())

  roundNow()
  return {
    ask,
    roundNow,
    stop() {
      stopped = true
      clearTimeout(timer)
      return running
    },
  }
}
