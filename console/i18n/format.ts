import { now, parseOptionalTimestamp } from '@/time/days.ts'

/** Formats numbers, dates and times in the user's language and time zone. */

let language = 'en'
let zone = 'UTC'

/** Called once, before the first render. */
export function setLocale(reader: { language?: string; zone?: string }): void {
  language = reader.language ?? language
  zone = reader.zone ?? zone
  formats.clear()
}

/** The time zone of all displayed times; named wherever a time is shown. */
export const userTimeZone = () => zone

const formats = new Map<string, unknown>()

/** Creating an Intl format is slow; using one is not. */
function cached<Format>(name: string, make: () => Format): Format {
  const known = formats.get(name) as Format | undefined
  if (known) return known
  const created = make()
  formats.set(name, created)
  return created
}

const dateFormat = (name: string, options: Intl.DateTimeFormatOptions) =>
  cached(`${name} ${options.timeZone ?? zone}`, () => new Intl.DateTimeFormat(language, { timeZone: zone, ...options }))

const timeOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** 09:30 */
export const formatTime = (moment: number) => dateFormat('clock', timeOptions).format(moment)
/** Tuesday, 17 November 2026 */
export const formatLongDate = (moment: number) => dateFormat('longDay', { dateStyle: 'full' }).format(moment)
/** 17 Nov 2026 */
export const formatDate = (moment: number) => dateFormat('shortDay', { dateStyle: 'medium' }).format(moment)
/** 17 Nov 2026, 09:30 */
export const formatDateTime = (moment: number) =>
  dateFormat('dayAndClock', { day: 'numeric', month: 'short', year: 'numeric', ...timeOptions }).format(moment)

/** Tue 09:30, in another time zone */
export const formatTimeIn = (timeZone: string, moment: number) =>
  dateFormat('clockIn', { weekday: 'short', ...timeOptions, timeZone }).format(moment)

/** A day without a time zone, given as UTC: `November 2026`, `Tue`. */
export const formatDay = (wallTime: number, options: Intl.DateTimeFormatOptions) =>
  dateFormat(JSON.stringify(options), { ...options, timeZone: 'UTC' }).format(wallTime)

/** 1,204 */
export const formatNumber = (value: number) => cached('number', () => new Intl.NumberFormat(language)).format(value)

/** 412 MB */
export function formatBytes(value: number): string {
  const exponent = value < 1 ? 0 : Math.min(4, Math.floor(Math.log10(value) / 3))
  const unit = (['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const)[exponent] ?? 'byte'
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumSignificantDigits: 3 } as const
  return cached(`bytes ${unit}`, () => new Intl.NumberFormat(language, options)).format(value / 1000 ** exponent)
}

/** a, b and c */
export const formatList = (items: readonly string[]) =>
  cached('list', () => new Intl.ListFormat(language)).format(items)

/** The first few items, then the text of `others` with the number of the rest. */
export const formatShortList = (items: readonly string[], others: (count: number) => string, limit = 4) =>
  items.length <= limit + 1 ? formatList(items) : formatList([...items.slice(0, limit), others(items.length - limit)])

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** in 3 hours, 2 days ago */
export function formatRelativeTime(moment: number, now: number): string {
  const seconds = (moment - now) / 1000
  const [unit, length] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const)
  const format = cached('distance', () => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }))
  return unit === 'second' ? format.format(0, 'second') : format.format(Math.round(seconds / length), unit)
}

/** `plural(3, { one: '# post', other: '# posts' })` */
export function plural(value: number, forms: { [form in Intl.LDMLPluralRule]?: string } & { other: string }): string {
  const rule = cached('plural', () => new Intl.PluralRules(language)).select(value)
  return (forms[rule] ?? forms.other).replaceAll('#', formatNumber(value))
}

/** Relative time, or the text for never. */
export const ago = (timestamp: string, never: string): string => {
  const moment = parseOptionalTimestamp(timestamp)
  return moment === undefined ? never : formatRelativeTime(moment, now())
}
