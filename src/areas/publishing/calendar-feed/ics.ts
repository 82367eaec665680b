/** What other calendars show as one entry. */
export interface CalendarEntry {
  id: string
  title: string
  text: string
  from: Date
  until: Date
  changed: Date
  url: string
  category: string
  /** Not certain yet: a draft, or what waits for approval. */
  isTentative: boolean
}

interface Calendar {
  name: string
  /** The name under which entries are unique in the world, together with their ids. */
  host: string
  entries: readonly CalendarEntry[]
}

/** A calendar as RFC 5545 writes it; every moment in UTC, so that no zone has to be described. */
export function icsOf({ name, host, entries }: Calendar): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Chorus//Publishing calendar//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${textOf(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT15M',
    'X-PUBLISHED-TTL:PT15M',
    ...entries.flatMap((entry) => linesOf(entry, host)),
    'END:VCALENDAR',
  ]
  return `${lines.map(folded).join('\r\n')}\r\n`
}

const linesOf = (
  { id, title, text, from, until, changed, url, category, isTentative }: CalendarEntry,
  host: string,
) => [
  'BEGIN:VEVENT',
  `UID:${id}@${host}`,
  `DTSTAMP:${momentOf(changed)}`,
  `LAST-MODIFIED:${momentOf(changed)}`,
  `DTSTART:${momentOf(from)}`,
  `DTEND:${momentOf(until)}`,
  `SUMMARY:${textOf(title)}`,
  ...(text === '' ? [] : [`DESCRIPTION:${textOf(text)}`]),
  ...(category === '' ? [] : [`CATEGORIES:${textOf(category)}`]),
  `URL:${url}`,
  `STATUS:${isTentative ? 'TENTATIVE' : 'CONFIRMED'}`,
  // Nobody is busy because a post goes out.
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
]

/** 20260302T092000Z */
const momentOf = (moment: Date) => moment.toISOString().replace(/[-:]|\.\d{3}/g, '')

/** Signs that mean something are marked, ends of lines written out, and controls left out. */
const textOf = (text: string) =>
  text
    .replace(/[\\;,]/g, '\\$&')
    .replace(/\r\n?|\n|\u2028|\u2029/g, '\\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the format knows no controls.
    .replace(/[\u0000-\u001f\u007f]/g, '')

/** No line has more octets, its end not counted. */
const longestLine = 75

/** A line that is too long goes on in the next one, after a blank; never in the middle of a sign. */
function folded(line: string): string {
  if (Buffer.byteLength(line) <= longestLine) return line
  const parts: string[] = []
  let part = ''
  let octets = 0
  for (const sign of line) {
    const size = Buffer.byteLength(sign)
    if (octets + size > longestLine) {
      parts.push(part)
      part = ' '
      octets = 1
    }
    part += sign
    octets += size
  }
  return [...parts, part].join('\r\n')
}
