import { type DestinationStream, type Logger, pino } from 'pino'
import { systemClock } from './clock.ts'

export type Log = Logger & {
  /** One line of level info per request. */
  readonly request: (line: RequestLine) => void
}

/** The fields of a request's log line. Texts are ids, methods and route paths, which need no escaping in JSON. */
export interface RequestLine {
  readonly requestId: string
  readonly account: string | undefined
  readonly user: string | undefined
  readonly session: string | undefined
  readonly method: string
  readonly route: string
  readonly status: number
  readonly ms: number
  /** Added by the operation. */
  readonly remarks: object | undefined
}

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
  const stream = destination ?? (level === 'silent' ? nowhere : gathered())
  const log = pino(options, stream)
  const request = (line: RequestLine) => {
    if (log.isLevelEnabled('info')) stream.write(requestLine(line))
  }
  return Object.assign(log, { request })
}

/** Written directly: building the line generically costs as much as finding a row, for every request. */
function requestLine({ requestId, account, user, session, method, route, status, ms, remarks }: RequestLine): string {
  const caller = account === undefined ? '' : `,"account":"${account}","user":"${user}"`
  const via = session === undefined ? '' : `,"session":"${session}"`
  const more = remarks === undefined ? '' : `,${JSON.stringify(remarks).slice(1, -1)}`
  return `{"level":"info"${currentTime()},"requestId":"${requestId}"${caller}${via},"method":"${method}","route":"${route}","status":${status},"ms":${ms}${more},"msg":"request"}\n`
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
