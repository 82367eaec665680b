import { randomInt } from 'node:crypto'

/** The prefix each kind of thing carries in its id. */
export const idPrefixes = {
  account: '001',
  user: '00A',
  savedView: '0sv',
  team: '025',
  campaign: '002',
  workflow: 'cwf',
  workflowStep: 'cws',
  workflowItem: 'cwi',
  workflowNote: '0nt',
  board: 'brd',
  boardSignUp: '0su',
  topic: 'tpc',
  customField: '0cf',
  customOption: '0cp',
  story: '0AS',
  targetingPreset: '0tp',
  message: '005',
  post: '004',
  postlog: '007',
  firstComment: '0fc',
  tag: '0AF',
  link: '008',
  linkChange: '0lc',
  click: '009',
  conversionTag: '0ct',
  cname: '0CN',
  advocateShare: '0sh',
  customEvent: '0CE',
  inboxItem: 'eit',
  inboxEntry: 'eat',
  inboxReply: '0ir',
  inboxView: '0iv',
  conversationTag: 'etg',
  cannedResponse: 'cnr',
  lead: '0ld',
  leadActivity: '0la',
  integration: '014',
  streamTab: '018',
  stream: '00F',
  streamFeed: '0sf',
  export: '032',
  exportRun: '0er',
  media: '026',
  mediaFolder: '035',
  upload: '0up',
  connectOffer: '0co',
  apiKey: 'key',
  session: '0ss',
  event: '0EV',
  webhook: '0WA',
  webhookPayload: '0WB',
  webhookLog: '0WC',
  deed: '0dd',
  dashboard: 'dsh',
  widget: 'wdg',
  job: '0jb',
  worker: '0jw',
} as const

export type IdKind = keyof typeof idPrefixes

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefixLength = 3
const timeLength = 7
const tailLength = 5
const tails = digits.length ** tailLength
/** In the year 2081. */
const lastMoment = digits.length ** timeLength - 1

/** The milliseconds of which ids were made last, each with its text and its last tail: whoever works on with an earlier moment goes on where it was. */
const recent = new Map<number, { text: string; tail: number }>()
const mostRecent = 64
/** Kept free at the end, so that the tails of a millisecond rise. */
const reserve = 1_000_000

/** A new id: the prefix, seven base62 characters of milliseconds, five that never repeat within a millisecond. Those of one moment rise as they are made. */
export function newId(kind: IdKind, now: Date): string {
  const time = now.getTime()
  const known = recent.get(time)
  if (known) {
    known.tail = (known.tail + 1) % tails
    return idPrefixes[kind] + known.text + base62(known.tail, tailLength)
  }
  if (recent.size >= mostRecent) recent.delete(recent.keys().next().value as number)
  const text = base62(time, timeLength)
  const tail = randomInt(tails - reserve)
  recent.set(time, { text, tail })
  return idPrefixes[kind] + text + base62(tail, tailLength)
}

/** Whether the text has the form of an id of this kind; whether such a thing exists is another question. */
export function isId(kind: IdKind, text: string): boolean {
  return text.startsWith(idPrefixes[kind]) && /^[0-9A-Za-z]{15}$/.test(text)
}

/** Not later than any id of this kind made at this moment or after it. */
export const idAt = (kind: IdKind, moment: Date) =>
  idPrefixes[kind] + base62(Math.min(Math.max(0, moment.getTime()), lastMoment), timeLength) + base62(0, tailLength)

/** When the id was made. */
export function timeOf(id: string): Date {
  const time = [...id.slice(prefixLength, prefixLength + timeLength)]
  return new Date(time.reduce((value, digit) => value * digits.length + digits.indexOf(digit), 0))
}

function base62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / digits.length)) {
    text = digits[rest % digits.length] + text
  }
  return text
}
