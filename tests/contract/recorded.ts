import { idKinds } from '#main/registry.ts'

/**
 * A response without the ids, times, ports and secrets of one run, and with lists cut short, so that it is reproducible. `startTime` is the
 * initial time of the service's clock.
 */
export function reproducible(answer: unknown, startTime: Date): unknown {
  const ids = new Map<string, string>()
  const idOf = (id: string) => {
    const prefix = id.slice(0, 3)
    const number = [...ids.keys()].filter((other) => other.startsWith(prefix)).length + 1
    const known = ids.get(id) ?? `${prefix}example${String(number).padStart(5, '0')}`
    ids.set(id, known)
    return known
  }
  const text = (value: string) =>
    value
      .replace(anyId, (id) => (isDemo(id) ? id : idOf(id)))
      .replace(anyMoment, (written) =>
        isOfThisRun(timeOf(written), startTime) ? sameMoment(written, startTime) : written,
      )
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://files.example.com')
      .replaceAll('127.0.0.1', '203.0.113.9')
      .replace(/(?<=https:\/\/short\.example\/)(?!demo)\w+/g, 'Ab3dE5fG')
      .replace(/(?<=\/media\/\w{15}\/\w{15}\/)[\w-]{24}/g, 'YS1uYW1lLW5vLW9uZS1ndWVz')
      .replace(/(?<=[?&](?:token|key)=\w{15}\.)[\w-]{43}/g, 'c2hvd24gb25jZSwgd2hlbiBpdCBpcyBtYWRlLCBhIGtl')
      .replace(/^brd\w{18}$/, 'example-board')
      .replace(/\b(Example|Renamed) \d+/g, '$1')
      .replace(/\b(guest|example|lead|nobody)\d+(?=@|\.brand\.example)/g, '$1')
      .replace(/^(draft|example)-\d+$/, '$1')
      .replace(/(?<=^003-1-(?:example|own))\d+$/, '')
  const walk = (value: unknown, name: string): unknown => {
    // Hashes of example links count up over all test files of a worker.
    if (name === 'Hash' && /^\d+$/.test(String(value))) return 'Ab3dE5fG'
    if (typeof value === 'string') return (value && secrets[name]) || text(value)
    if (typeof value === 'number' && isOfThisRun(value * 1000, startTime)) return startTime.getTime() / 1000
    if (Array.isArray(value)) return value.slice(0, mostElements).map((element) => walk(element, name))
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value)
    const some = entries.every(([key]) => isId(key)) ? entries.slice(0, mostElements) : entries
    const { Id = '' } = value as { Id?: unknown }
    // The color of a campaign is derived from its id.
    const color = 'Color' in value && isId(String(Id)) && !isDemo(String(Id)) ? { Color: '#2456D6' } : {}
    return { ...Object.fromEntries(some.map(([key, inner]) => [text(key), walk(inner, key)])), ...color }
  }
  return walk(answer, '')
}

/** Enough to show the structure of a list. */
const mostElements = 2

/** Placeholders of secrets, by field name. */
const secrets: Record<string, string> = {
  Secret: 'whsec_c2hvd24gb25jZSwgd2hlbiBpdCBpcyBtYWRl',
  Key: 'chk_shown-once-when-it-is-made',
}

const prefixes = idKinds.map(({ prefix }) => prefix).join('|')
const anyId = new RegExp(`\\b(?:${prefixes})[0-9A-Za-z]{12}\\b`, 'g')
const wholeId = new RegExp(`^(?:(?:${prefixes})[0-9A-Za-z]{12}|003-\\d+-\\w+)$`)
const isId = (text: string) => wholeId.test(text)
const isDemo = (id: string) => id.slice(3).startsWith('demo')

const anyMoment = /\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d{3}Z)?/g
const timeOf = (written: string) => Date.parse(`${written.slice(0, 19).replace(' ', 'T')}Z`)

const minute = 60_000
/** Times used by the examples themselves. */
const chosen = [1_800_000_000_000, 1_900_000_000_000]

/** Whether it comes from the service's clock, or from the machine's, as in inserted rows. */
const isOfThisRun = (time: number, startTime: Date) =>
  (time >= startTime.getTime() && time - startTime.getTime() < 60 * minute) ||
  (Math.abs(time - Date.now()) < 5 * minute && !chosen.includes(time))

function sameMoment(written: string, moment: Date): string {
  const iso = moment.toISOString()
  if (written.endsWith('Z')) return iso
  return written.includes('T') ? iso.slice(0, 19) : iso.slice(0, 19).replace('T', ' ')
}
