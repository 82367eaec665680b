import { createHmac, randomBytes } from 'node:crypto'
import type { Json } from '#networks/http/json.ts'
import type { RawExchange } from './recorder.ts'
import { type Answered, type Exchange, isBytes, type Sent } from './recording.ts'

/** What is known to be secret or personal before anything was answered, and what must stay as it is. */
export interface Known {
  /** By what they are called in the recording: `client-secret`, `code`… */
  secrets: { readonly [name: string]: string | undefined }
  /** Names of people and profiles. */
  names: readonly string[]
  /** Ids that no pattern would find. */
  ids: readonly string[]
  /** Texts of the live check itself, which the network answers with again. */
  ownTexts: readonly string[]
  /** Addresses, and what stands for them: hosts of a proxy or a tunnel belong to somebody. */
  bases: readonly (readonly [from: string, to: string])[]
}

/** Takes secrets, ids and what people wrote out of exchanges. The same value becomes the same placeholder everywhere. */
export interface Scrubber {
  exchange(raw: RawExchange, startedAt: number): Exchange
  text(text: string): string
}

/** Needs all exchanges at once: what one of them shows to be secret or personal is replaced in all of them. */
export function makeScrubber(
  exchanges: readonly RawExchange[],
  known: Known,
  roles: { readonly [role: string]: string },
): Scrubber {
  const values = collectValues(exchanges, known)
  const replaced = replacer(values, known)
  const text = (value: string) => (isUrl(value) ? url(value) : replaced(value))
  const url = (value: string): string => {
    const base = known.bases.find(([from]) => isBelow(value, from))
    const target = new URL(base ? base[1] + value.slice(base[0].length) : value)
    const path = target.pathname.split('/').map((part) => encodeURIComponent(replaced(decoded(part))))
    const query = [...target.searchParams].map(
      ([name, one]) => [name, base ? sentText(name, one) : identifier(one, values.key)] as [string, string],
    )
    return `${target.origin}${path.join('/')}${query.length > 0 ? `?${new URLSearchParams(query)}` : ''}`
  }
  const sentText = (name: string, value: string): string => {
    if (isSecretParameter(name)) return values.secrets.get(value) ?? `[${name}]`
    return isMoment(value, name) ? value : text(value)
  }
  const sentJson = (value: Json, name = ''): Json => {
    if (typeof value === 'string') return sentText(name, value)
    if (Array.isArray(value)) return value.map((one) => sentJson(one, name))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [replaced(key), sentJson(one, key)]))
  }
  const sent = (body: Sent): Sent => {
    if (body.form === 'json') return { form: 'json', value: sentJson(body.value) }
    if (body.form !== 'fields') return body
    const fields = Object.entries(body.value).map(([name, one]) => [name, isBytes(one) ? one : sentText(name, one)])
    return { form: 'fields', value: Object.fromEntries(fields) }
  }
  const answerText = (value: string, name: string, isRefusal: boolean): string => {
    if (isSecretName(name)) return values.secrets.get(value) ?? `[${name}]`
    if (known.ownTexts.includes(value)) return value
    if (isUrl(value)) return url(value)
    if (isRefusal || known.ownTexts.some((own) => value.includes(own))) return replaced(value)
    if (isMoment(value, name)) return value
    if (isStructure(value, name)) return replaced(value)
    if (isMail.test(value)) return values.mailOf(value)
    const personal = values.names.get(bare(value))
    if (personal !== undefined) return value.startsWith('@') ? `@${personal}` : personal
    return values.ids.has(value) || !/\s/.test(value) ? identifier(value, values.key) : values.textOf(value)
  }
  const answerJson = (value: Json, name: string, isRefusal: boolean): Json => {
    if (typeof value === 'string') return answerText(value, name, isRefusal)
    if (typeof value === 'number')
      return isIdNumber(value, name) ? Number(identifier(String(value), values.key)) : value
    if (Array.isArray(value)) return value.map((one) => answerJson(one, name, isRefusal))
    if (value === null || typeof value !== 'object') return value
    const refusal = isRefusal || isRefusalObject(value)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        replaced(key),
        answerJson(one, key, refusal || /^errors?$/.test(key)),
      ]),
    )
  }
  const answer = (given: Answered): Answered => {
    if ('failure' in given) return { ...given, message: replaced(given.message) }
    const headers = Object.fromEntries(
      Object.entries(given.headers)
        .filter(([name]) => keptHeaders.test(name))
        .map(([name, value]) => [name, headerText(name, value, text)]),
    )
    const { status } = given
    if ('json' in given) return { status, headers, json: answerJson(given.json, '', status >= 400) }
    return { status, headers, text: values.textOf(given.text) }
  }
  return {
    text,
    exchange({ step, at, ms, method, url: called, headers, sent: body, answer: got }, startedAt) {
      const { role, rest } = roleOf(called, roles)
      const [path = '', search = ''] = rest.split('?')
      const query = [...new URLSearchParams(search)].map(([name, value]) => [name, sentText(name, value)])
      const plain = Object.entries(headers)
        .filter(([name]) => plainHeaders.test(name))
        .map(([name, value]) => [name, replaced(value.replace(/; *boundary=.*/, ''))])
      return {
        step,
        at: at - startedAt,
        ms,
        method,
        role,
        path: path
          .split('/')
          .map((part) => replaced(decoded(part)))
          .join('/'),
        query: Object.fromEntries(query),
        headers: Object.fromEntries(plain),
        sent: sent(body),
        answer: answer(got),
      }
    },
  }
}

/** The role of the host that was called, and the rest of the address; the longest base wins. */
export function roleOf(url: string, roles: { readonly [role: string]: string }): { role: string; rest: string } {
  const [found] = Object.entries(roles)
    .filter(([, base]) => isBelow(url, base))
    .sort(([, one], [, other]) => other.length - one.length)
  if (!found) return { role: 'elsewhere', rest: new URL(url).pathname }
  return { role: found[0], rest: url.slice(found[1].length) }
}

const isBelow = (url: string, base: string) => url.startsWith(base) && /^([/?]|$)/.test(url.slice(base.length))

interface Values {
  secrets: Map<string, string>
  names: Map<string, string>
  ids: Set<string>
  textOf(text: string): string
  mailOf(address: string): string
  /** Made for one recording and never kept, so that no id can be guessed from its placeholder. */
  key: Buffer
}

type Maps = [Map<string, string>, Map<string, string>, Map<string, string>, Map<string, string>]

function collectValues(exchanges: readonly RawExchange[], known: Known): Values {
  const [secrets, names, texts, mails] = Array.from({ length: 4 }, () => new Map<string, string>()) as Maps
  const ids = new Set(known.ids)
  const add = (map: Map<string, string>, value: string, word: string) => {
    if (value !== '' && !map.has(value)) map.set(value, `${word}${map.size + 1}`)
  }
  for (const [name, value] of Object.entries(known.secrets)) if (value) secrets.set(value, `[${name}]`)
  for (const name of known.names) add(names, bare(name), 'person')
  const look = (value: Json, name: string, parent: { [key: string]: Json }, isAnswer: boolean): void => {
    if (Array.isArray(value)) for (const one of value) look(one, name, parent, isAnswer)
    else if (value !== null && typeof value === 'object')
      for (const [key, one] of Object.entries(value)) look(one, key, value, isAnswer)
    else if (typeof value === 'number') {
      if (isAnswer && isIdNumber(value, name)) ids.add(String(value))
    } else if (typeof value === 'string' && !known.ownTexts.some((own) => value.includes(own))) {
      if (isAnswer ? isSecretName(name) : isSecretParameter(name)) {
        if (!secrets.has(value)) secrets.set(value, `[${name} ${secrets.size + 1}]`)
      } else if (isAnswer && isPersonal(name, parent) && !isUrl(value)) add(names, bare(value), 'person')
      else if (isAnswer && idNames.test(name) && /^(?!urn:)[^\s/]{4,}$/.test(value)) ids.add(value)
    }
  }
  for (const { url, sent, answer } of exchanges) {
    for (const [name, value] of new URL(url).searchParams) look(value, name, {}, false)
    if (sent.form === 'json' || sent.form === 'fields') look(sent.value as Json, '', {}, false)
    if ('json' in answer) look(answer.json, '', {}, true)
  }
  const textOf = (text: string) => {
    add(texts, text, 'text ')
    return texts.get(text) ?? ''
  }
  const mailOf = (address: string) => {
    add(mails, address, 'mail')
    return `${mails.get(address)}@example.invalid`
  }
  return { secrets, names, ids, textOf, mailOf, key: randomBytes(32) }
}

/** Everything that can be recognised inside a text, in one pass, so that no placeholder is replaced again. */
function replacer({ secrets, names, ids, key, mailOf }: Values, { ownTexts, bases }: Known): (text: string) => string {
  const own = new Set(ownTexts)
  const fixed = new Map<string, string>([...bases, ...names])
  for (const id of ids) fixed.set(id, identifier(id, key))
  for (const [secret, placeholder] of secrets)
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
      fixed.set(form, placeholder)
  const alternatives = [...own, ...fixed.keys()]
    .filter((value) => value.length >= 3)
    .sort((one, other) => other.length - one.length)
    .map((value) => `(?<![A-Za-z0-9])${value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}(?![A-Za-z0-9])`)
  const pattern = new RegExp([...alternatives, ...patterns].join('|'), 'g')
  return (text) =>
    text.replace(pattern, (found) => {
      if (own.has(found)) return found
      const placeholder = fixed.get(found)
      if (placeholder !== undefined) return placeholder
      if (found.includes('@')) return mailOf(found)
      return identifier(found, key)
    })
}

const patterns = [
  String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  // The last part of a URN.
  String.raw`(?<=\burn:[a-z]+:[A-Za-z_]+:)[\w-]{4,}`,
  // Tokens, uploads, hashes: long, and with digits among the letters.
  String.raw`(?<![\w-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[\w-]{16,}(?![\w-])`,
  String.raw`(?<!\d)\d{7,}(?!\d)`,
]

/** Another id of the same form: letters stay letters and digits digits, since connectors look at that. */
function identifier(value: string, key: Buffer): string {
  // Channels and their lists share all but two capitals in front.
  const kept = /^[A-Z]{2}(?=[\w-]{10,}$)/.exec(value)?.[0] ?? ''
  const rest = value.slice(kept.length).replace(/[A-Za-z0-9]+/g, (token) => {
    const digest = createHmac('sha512', key).update(token).digest()
    return [...token].map((sign, index) => disguised(sign, digest[index % digest.length] as number, index)).join('')
  })
  return kept + rest
}

function disguised(sign: string, byte: number, index: number): string {
  if (/\d/.test(sign)) return String(index === 0 ? 1 + (byte % 9) : byte % 10)
  const first = sign >= 'a' ? 'a' : 'A'
  return String.fromCharCode(first.charCodeAt(0) + (byte % 26))
}

const isSecretName = (name: string) =>
  /token$|secret|password|proof$|signature$|^client_(id|key)$|^app_id$|verifier$|^assertion$/i.test(name) &&
  !/(page|next|previous|pagination)_?token$/i.test(name)
/** Names that are secret in what is sent only: answers use the same words for other things. */
const sentSecrets = /^(code|auth_code)$/

export const isSecretParameter = (name: string) => isSecretName(name) || sentSecrets.test(name)

const personalNames =
  /^(username|screen_?name|display_?name|full_?name|first_?name|last_?name|given_?name|family_?name|localized(First|Last)?Name|vanityName|nickname|customUrl|authorDisplayName|channelTitle)$/i

/** `name` alone is a person's or a page's only beside an id; metrics have names too. */
const isPersonal = (name: string, parent: { [key: string]: Json }): boolean =>
  personalNames.test(name) ||
  (name === 'name' && ('id' in parent || 'username' in parent) && !('values' in parent) && !('period' in parent))

const idNames = /^(id|etag|urn|uri|cursor|after|before|next|previous)$|_id$|Id$|_ids$|Ids$|_?token$|_key$|_keys$/i

/** Words of the network's own vocabulary, dates, and numbers as text: they say nothing about anybody. */
function isStructure(value: string, name: string): boolean {
  if (/^[A-Z][A-Z0-9_]*$/.test(value) && !idNames.test(name)) return true
  if (/^-?\d+(\.\d+)?$/.test(value)) return value.length < 7
  if (/^[a-z]+\/[a-z0-9.+-]+$/.test(value)) return true
  if (/^urn:[a-z]+:[A-Za-z_]+:/.test(value)) return true
  if (/^(name|title)$/.test(name)) return /^[a-z][a-z_]*$/.test(value)
  return wordNames.test(name) && !/\s{2}|@/.test(value)
}

const wordNames =
  /^(status|state|type|kind|role|visibility|permissions?|period|event|reason|domain|scope|scopes|tasks|q|verb|action|lifecycleState|source|language|locale)$|(_|[a-z])(status|state|type|kind|code|level|role|reason|scope)s?$/i
const timeNames = /time|date|_at$|At$|expire|created|updated|modified|until|since|reset|_in$/i

/** A number that names something: it is called so, or is larger than counts are; moments and sizes are called so too. */
const isIdNumber = (value: number, name: string) =>
  Number.isSafeInteger(value) &&
  value >= (idNames.test(name) ? 1000 : 1_000_000) &&
  !/count|size|bytes|total|number/i.test(name) &&
  !timeNames.test(name)

/** A code beside a sentence is a refusal, whatever the status says. */
const isRefusalObject = (value: { [key: string]: Json }) =>
  'message' in value && 'code' in value && value.code !== 0 && value.message !== ''

const keptHeaders =
  /^(content-type|location|etag|range|retry-after|x-restli-id|x-rate-limit-.*|x-(app|page|business-use-case)-usage)$/
const plainHeaders = /^(content-type|content-range|linkedin-version|x-(?!.*(token|secret)).*|offset|file_size)$/

const headerText = (name: string, value: string, text: (value: string) => string) =>
  name === 'content-type' || isMoment(value, name) ? value : text(value.replaceAll('%3A', ':'))

/** A date, or a number under a name that says it is one. */
export const isMoment = (value: unknown, name: string) =>
  /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(String(value)) ||
  (timeNames.test(name) && /^\d{10,13}$/.test(String(value)))

const isMail = /^[\w.+-]+@[\w-]+(\.[\w-]+)+$/
const isUrl = (value: string) => /^https?:\/\/[^\s]+$/.test(value)
const bare = (name: string) => name.replace(/^@/, '')

export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
