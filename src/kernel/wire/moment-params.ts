import { param, refuse, scalar } from './parameter.ts'

/** The last moment that four digits of a year can show, in seconds. */
const last = 253_402_300_799
const spellings = 'YYYY-MM-DD, YYYY-MM-DD HH:MM:SS (a T for the blank, Z or an offset behind it) or Unix seconds'
const schema = { type: ['string', 'integer'], description: `UTC unless it has an offset: ${spellings}.` }

type Moment = string | number

/** A moment in any of the spellings that clients send. A day alone is its first moment. */
export const moment = param<Date, Moment>(schema, (raw) => new Date(read(scalar(raw).trim())))

/** The same where an empty value says as much as none. */
export const momentOrNone = param<Date | undefined, Moment>(schema, (raw) => {
  const text = scalar(raw).trim()
  return text === '' ? undefined : new Date(read(text))
})

/** The same where an empty value takes away what was there. */
export const momentOrNull = param<Date | null, Moment>(schema, (raw) => {
  const text = scalar(raw ?? '').trim()
  return text === '' ? null : new Date(read(text))
})

/** A day in UTC, as its first moment; of a moment its day. */
export const day = param<Date, Moment>(schema, (raw) => {
  const date = new Date(read(scalar(raw).trim()))
  return new Date(date.setUTCHours(0, 0, 0, 0))
})

/** Milliseconds since 1970. */
function read(text: string): number {
  if (/^\d{1,15}$/.test(text)) return fromSeconds(Number(text))
  const [, year = '', rest = '', hours = '00', minutes = '00', seconds = '00', zone] = written.exec(text) ?? []
  const iso = `${year}-${rest}T${hours}:${minutes}:${seconds}`
  const time = Date.parse(`${iso}Z`)
  if (year === '') return refuse(`must be a moment, as ${spellings}`)
  // 31 February would quietly become a day in March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 19) !== iso)
    return refuse(`must be a moment that exists; "${text.slice(0, 40)}" does not`)
  const moment = time - offsetOf(zone)
  return moment <= last * 1000 ? moment : refuse('must not lie after the year 9999')
}

/** Each part has its fixed number of digits, so that nothing is tried twice. A plus that nobody encoded arrives as a blank. */
const written = /^(\d{4})-(\d{2}-\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+ -]\d{2}:?\d{2})?)?$/i

/** Most often somebody who is too late has counted in milliseconds. */
function fromSeconds(seconds: number): number {
  if (seconds <= last) return seconds * 1000
  return refuse(`must be in seconds, at most ${last}, which is the end of the year 9999; ${seconds} is more`)
}

/** In milliseconds. */
function offsetOf(zone = 'Z'): number {
  if (zone.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
  if (hours > 14 || minutes > 59) return refuse('must have an offset between -14:59 and +14:59')
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
