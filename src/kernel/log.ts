import { type DestinationStream, type Logger, pino } from 'pino'
import { systemClock } from './clock.ts'

export type Log = Logger
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** One JSON object per line, without bodies and secrets. */
export function openLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    serializers: { err: describeError },
    timestamp: currentTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, destination ?? (level === 'silent' ? nowhere : gathered()))
}

let second = { number: -1, text: '' }

/** ISO 8601 with milliseconds. Each second is formatted once: many lines share one. */
function currentTime(): string {
  const now = systemClock.now().getTime()
  const number = Math.floor(now / 1000)
  if (number !== second.number) second = { number, text: new Date(number * 1000).toISOString().slice(0, 20) }
  return `,"time":"${second.text}${String(now - number * 1000).padStart(3, '0')}Z"`
}

/** Lines are buffered: one write per request would cost more than the request. */
const gathered = () => pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 250 })

/** A silent log needs no flush timer. */
const nowhere: DestinationStream = { write() {} }

/** Describes an error without the values that a database error carries. */
function describeError(error: unknown) {
  const { name, message, code, stack } = error as Error & { code?: string }
  return { type: name, message, code, stack }
}
