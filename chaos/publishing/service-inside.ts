import { openLog } from '#kernel/log.ts'
import { defaultPollingIntervals } from '#kernel/polling-intervals.ts'
import { startService } from '#main/process/service.ts'
import { endpoints } from '#main/registry.ts'
import { readSettings } from '#main/settings/settings.ts'
import { startSandbox } from '../../sandbox/main.ts'

/** A part of the service, wherever it runs. */
export interface RunningService {
  readonly url: string
  /** Its clock is so many milliseconds ahead from now on. */
  tell(order: { ahead: number }): Promise<void>
  /** Ends it in order. */
  stop(): Promise<void>
}

/** The same as a process of its own would be, for small runs that kill nobody. */
export async function startInside(environment: Record<string, string>): Promise<RunningService> {
  const { CHAOS_AHEAD = '0', ...rest } = environment
  const settings = readSettings(rest)
  let ahead = Number(CHAOS_AHEAD)
  const clock = { now: () => new Date(Date.now() + ahead) }
  const log = openLog(settings.logLevel)
  const databaseUrl = settings.databaseUrl ?? ''
  const { url, stop } = await startService({ settings, databaseUrl, endpoints, clock, log, rhythm: patient })
  let stopped: Promise<void> | undefined
  return {
    url,
    async tell(order) {
      ahead = order.ahead
    },
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

/** Beside others on a busy machine nobody is refused. */
const patient = { ...defaultPollingIntervals, connection: 60_000, statement: 120_000 }

export async function startNetworksInside(latency: [from: number, to: number]) {
  const { url, close } = await startSandbox({ limitFactor: 100_000, latency })
  return { url, stop: close }
}
