import pg from 'pg'

type Parser = (text: string) => unknown

const int8 = 20
const timestamptz = 1184
const date = 1082
const int8Array = 1016

/** How PostgreSQL's text form becomes a JavaScript value: counts are numbers, moments are Dates, days stay text. */
export const valueTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    return ownParsers.get(oid) ?? (pg.types.getTypeParser(oid, format as 'text') as Parser)
  },
}

const ownParsers = new Map<number, Parser>([
  [int8, Number],
  [timestamptz, parseMoment],
  [date, (text) => text],
  [int8Array, (text) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number))],
])

/** `2026-08-31 09:30:00.123456+00`, as a session in UTC prints it; the driver's general parser costs ten times as much. */
function parseMoment(text: string): Date {
  if (text.length < 22 || text.charCodeAt(4) !== 45 || !text.endsWith('+00')) {
    return pg.types.getTypeParser(timestamptz)(text) as Date
  }
  const milliseconds = text.length > 22 ? Math.floor(Number(`0${text.slice(19, -3)}`) * 1000 + 1e-6) : 0
  return new Date(
    Date.UTC(
      digits(text, 0, 4),
      digits(text, 5, 7) - 1,
      digits(text, 8, 10),
      digits(text, 11, 13),
      digits(text, 14, 16),
      digits(text, 17, 19),
      milliseconds,
    ),
  )
}

function digits(text: string, from: number, to: number): number {
  let value = 0
  for (let index = from; index < to; index++) value = value * 10 + text.charCodeAt(index) - 48
  return value
}
