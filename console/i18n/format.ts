import { now, parseOptionalTimestamp } from '@/time/days.ts'

/** How numbers, days and times are written in the language and the zone of whoever reads. */

let language = 'en'
let zone = 'UTC'

/** Set once, before anything is shown. */
export function setLocale(reader: { language?: string; zone?: string }): void {
  language = reader.language ?? language
  zone = reader.zone ?? zone
  formats.clear()
}

/** The zone in which all times are shown, which is named wherever a time stands. */
export const userTimeZone = () => zone

const formats = new Map<string, unknown>()

/** Making a format takes long; using one does not. */
function cached<Format>(name: string, make: () => Format): Format {
  const known = formats.get(name) as Format | undefined
  if (known) return known
  const made = make()
  formats.set(name, made)
  return made
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

/** Tue 09:30, on the clocks of another zone */
export const formatTimeIn = (timeZone: string, moment: number) =>
  dateFormat('clockIn', { weekday: 'short', ...timeOptions, timeZone }).format(moment)

/** Of a day without a zone, given as if it were UTC: `November 2026`, `Tue`. */
export const formatDay = (wall: number, options: Intl.DateTimeFormatOptions) =>
  dateFormat(JSON.stringify(options), { ...options, timeZone: 'UTC' }).format(wall)

/** 1,204 */
export const formatNumber = (value: number) => cached('number', () => new Intl.NumberFormat(language)).format(value)

/** 412 MB */
export function formatBytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(4, Math.floor(Math.log10(value) / 3))
  const unit = (['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const)[power] ?? 'byte'
  const options = { style: 'unit', unit, unitDisplay: 'short', maximumSignificantDigits: 3 } as const
  return cached(`bytes ${unit}`, () => new Intl.NumberFormat(language, options)).format(value / 1000 ** power)
}

/** a, b and c */
export const formatList = (words: readonly string[]) =>
  cached('list', () => new Intl.ListFormat(language)).format(words)

/** The first few of many, and how many others there are, in the words that `others` has for that. */
export const formatShortList = (words: readonly string[], others: (count: number) => string, most = 4) =>
  words.length <= most + 1 ? formatList(words) : formatList([...words.slice(0, most), others(words.length - most)])

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

/** How long ago, or the word for never. */
export const ago = (wire: string, never: string): string => {
  const moment = parseOptionalTimestamp(wire)
  return moment === undefined ? never : formatRelativeTime(moment, now())
}
