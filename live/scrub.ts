import { createHmac, randomBytes } from 'node:crypto'
import type { Json } from '#networks/http/json.ts'
import type { RawExchange } from './recorder.ts'
import { type Exchange, isBytes, type RecordedBody, type RecordedResponse } from './recording.ts'

/** Values known to be secret or personal before the first response, and texts to keep. */
export interface KnownValues {
  /** By placeholder name: `client-secret`, `code`… */
  secrets: { readonly [name: string]: string | undefined }
  /** Names of people and profiles. */
  names: readonly string[]
  /** Ids that no pattern detects. */
  ids: readonly string[]
  /** Texts published by the live check itself, which are not replaced. */
  ownTexts: readonly string[]
  /** Base URLs and their replacements: the hosts of a proxy or tunnel identify its owner. */
  bases: readonly (readonly [from: string, to: string])[]
}

/** Replaces secrets, ids and user content in exchanges. Equal values get the same placeholder everywhere. */
export interface Scrubber {
  exchange(raw: RawExchange, startedAt: number): Exchange
  text(text: string): string
}

/** Needs all exchanges at once: a value detected as secret or personal in one is replaced in all of them. */
export function openScrubber(
  exchanges: readonly RawExchange[],
  known: KnownValues,
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
    return isTimestamp(value, name) ? value : text(value)
  }
  const sentJson = (value: Json, name = ''): Json => {
    if (typeof value === 'string') return sentText(name, value)
    if (Array.isArray(value)) return value.map((one) => sentJson(one, name))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [replaced(key), sentJson(one, key)]))
  }
  const sent = (body: RecordedBody): RecordedBody => {
    if (body.form === 'json') return { form: 'json', value: sentJson(body.value) }
    if (body.form !== 'fields') return body
    const fields = Object.entries(body.value).map(([name, one]) => [name, isBytes(one) ? one : sentText(name, one)])
    return { form: 'fields', value: Object.fromEntries(fields) }
  }
  const responseText = (value: string, name: string, isError: boolean): string => {
    if (isSecretName(name)) return values.secrets.get(value) ?? `[${name}]`
    if (known.ownTexts.includes(value)) return value
    if (isUrl(value)) return url(value)
    if (isError || known.ownTexts.some((own) => value.includes(own))) return replaced(value)
    if (isTimestamp(value, name)) return value
    if (isVocabulary(value, name)) return replaced(value)
    if (isEmail.test(value)) return values.emailOf(value)
    const personal = values.names.get(withoutAtSign(value))
    if (personal !== undefined) return value.startsWith('@') ? `@${personal}` : personal
    return values.ids.has(value) || !/\s/.test(value) ? identifier(value, values.key) : values.textOf(value)
  }
  const responseJson = (value: Json, name: string, isError: boolean): Json => {
    if (typeof value === 'string') return responseText(value, name, isError)
    if (typeof value === 'number')
      return isIdNumber(value, name) ? Number(identifier(String(value), values.key)) : value
    if (Array.isArray(value)) return value.map((one) => responseJson(one, name, isError))
    if (value === null || typeof value !== 'object') return value
    const inError = isError || isErrorObject(value)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        replaced(key),
        responseJson(one, key, inError || /^errors?$/.test(key)),
      ]),
    )
  }
  const answer = (raw: RecordedResponse): RecordedResponse => {
    if ('failure' in raw) return { ...raw, message: replaced(raw.message) }
    const headers = Object.fromEntries(
      Object.entries(raw.headers)
        .filter(([name]) => responseHeaderNames.test(name))
        .map(([name, value]) => [name, headerText(name, value, text)]),
    )
    const { status } = raw
    if ('json' in raw) return { status, headers, json: responseJson(raw.json, '', status >= 400) }
    return { status, headers, text: values.textOf(raw.text) }
  }
  return {
    text,
    exchange({ step, at, ms, method, url: called, headers, sent: body, answer: response }, startedAt) {
      const { role, rest } = roleOf(called, roles)
      const [path = '', search = ''] = rest.split('?')
      const query = [...new URLSearchParams(search)].map(([name, value]) => [name, sentText(name, value)])
      const requestHeaders = Object.entries(headers)
        .filter(([name]) => requestHeaderNames.test(name))
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
        headers: Object.fromEntries(requestHeaders),
        sent: sent(body),
        answer: answer(response),
      }
    },
  }
}

/** The role of the called host and the rest of the URL; the longest matching base URL wins. */
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
  emailOf(address: string): string
  /** Random per recording and never stored, so that placeholders can't be reversed by guessing ids. */
  key: Buffer
}

type Maps = [Map<string, string>, Map<string, string>, Map<string, string>, Map<string, string>]

function collectValues(exchanges: readonly RawExchange[], known: KnownValues): Values {
  const [secrets, names, texts, emails] = Array.from({ length: 4 }, () => new Map<string, string>()) as Maps
  const ids = new Set(known.ids)
  const add = (map: Map<string, string>, value: string, label: string) => {
    if (value !== '' && !map.has(value)) map.set(value, `${label}${map.size + 1}`)
  }
  for (const [name, value] of Object.entries(known.secrets)) if (value) secrets.set(value, `[${name}]`)
  for (const name of known.names) add(names, withoutAtSign(name), 'person')
  const visit = (value: Json, name: string, parent: { [key: string]: Json }, isResponse: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, name, parent, isResponse)
    else if (value !== null && typeof value === 'object')
      for (const [key, one] of Object.entries(value)) visit(one, key, value, isResponse)
    else if (typeof value === 'number') {
      if (isResponse && isIdNumber(value, name)) ids.add(String(value))
    } else if (typeof value === 'string' && !known.ownTexts.some((own) => value.includes(own))) {
      if (isResponse ? isSecretName(name) : isSecretParameter(name)) {
        if (!secrets.has(value)) secrets.set(value, `[${name} ${secrets.size + 1}]`)
      } else if (isResponse && isPersonal(name, parent) && !isUrl(value)) add(names, withoutAtSign(value), 'person')
      else if (isResponse && idNames.test(name) && /^(?!urn:)[^\s/]{4,}$/.test(value)) ids.add(value)
    }
  }
  for (const { url, sent, answer } of exchanges) {
    for (const [name, value] of new URL(url).searchParams) visit(value, name, {}, false)
    if (sent.form === 'json' || sent.form === 'fields') visit(sent.value as Json, '', {}, false)
    if ('json' in answer) visit(answer.json, '', {}, true)
  }
  const textOf = (text: string) => {
    add(texts, text, 'text ')
    return texts.get(text) ?? ''
  }
  const emailOf = (address: string) => {
    add(emails, address, 'mail')
    return `${emails.get(address)}@example.invalid`
  }
  return { secrets, names, ids, textOf, emailOf, key: randomBytes(32) }
}

/** Replaces all known values and patterns inside a text in one pass, so that no placeholder is replaced again. */
function replacer(
  { secrets, names, ids, key, emailOf }: Values,
  { ownTexts, bases }: KnownValues,
): (text: string) => string {
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
      if (found.includes('@')) return emailOf(found)
      return identifier(found, key)
    })
}

const patterns = [
  String.raw`[\w.+-]+@[\w-]+(?:\.[\w-]+)+`,
  // The last part of a URN.
  String.raw`(?<=\burn:[a-z]+:[A-Za-z_]+:)[\w-]{4,}`,
  // Tokens, upload ids and hashes: long, with letters and digits.
  String.raw`(?<![\w-])(?=[\w-]*[A-Za-z])(?=[\w-]*\d)[\w-]{16,}(?![\w-])`,
  String.raw`(?<!\d)\d{7,}(?!\d)`,
]

/** A pseudonymous id in the same format, letters for letters and digits for digits, because connectors check the format. */
function identifier(value: string, key: Buffer): string {
  // The ids of a channel and its playlists differ only in a prefix of two capitals, which is kept.
  const prefix = /^[A-Z]{2}(?=[\w-]{10,}$)/.exec(value)?.[0] ?? ''
  const rest = value.slice(prefix.length).replace(/[A-Za-z0-9]+/g, (token) => {
    const digest = createHmac('sha512', key).update(token).digest()
    return [...token]
      .map((character, index) => substituteCharacter(character, digest[index % digest.length] as number, index))
      .join('')
  })
  return prefix + rest
}

function substituteCharacter(character: string, byte: number, index: number): string {
  if (/\d/.test(character)) return String(index === 0 ? 1 + (byte % 9) : byte % 10)
  const first = character >= 'a' ? 'a' : 'A'
  return String.fromCharCode(first.charCodeAt(0) + (byte % 26))
}

const isSecretName = (name: string) =>
  /token$|secret|password|proof$|signature$|^client_(id|key)$|^app_id$|verifier$|^assertion$/i.test(name) &&
  !/(page|next|previous|pagination)_?token$/i.test(name)
/** Fields that are secret in requests only: responses use the same names for other values. */
const requestSecretNames = /^(code|auth_code)$/

export const isSecretParameter = (name: string) => isSecretName(name) || requestSecretNames.test(name)

const personalNames =
  /^(username|screen_?name|display_?name|full_?name|first_?name|last_?name|given_?name|family_?name|localized(First|Last)?Name|vanityName|nickname|customUrl|authorDisplayName|channelTitle)$/i

/** A field called `name` is personal only next to an id: metrics have names too. */
const isPersonal = (name: string, parent: { [key: string]: Json }): boolean =>
  personalNames.test(name) ||
  (name === 'name' && ('id' in parent || 'username' in parent) && !('values' in parent) && !('period' in parent))

const idNames = /^(id|etag|urn|uri|cursor|after|before|next|previous)$|_id$|Id$|_ids$|Ids$|_?token$|_key$|_keys$/i

/** Enum values, media types, URNs and short numbers as text: not personal. */
function isVocabulary(value: string, name: string): boolean {
  if (/^[A-Z][A-Z0-9_]*$/.test(value) && !idNames.test(name)) return true
  if (/^-?\d+(\.\d+)?$/.test(value)) return value.length < 7
  if (/^[a-z]+\/[a-z0-9.+-]+$/.test(value)) return true
  if (/^urn:[a-z]+:[A-Za-z_]+:/.test(value)) return true
  if (/^(name|title)$/.test(name)) return /^[a-z][a-z_]*$/.test(value)
  return enumFieldNames.test(name) && !/\s{2}|@/.test(value)
}

const enumFieldNames =
  /^(status|state|type|kind|role|visibility|permissions?|period|event|reason|domain|scope|scopes|tasks|q|verb|action|lifecycleState|source|language|locale)$|(_|[a-z])(status|state|type|kind|code|level|role|reason|scope)s?$/i
const timeNames = /time|date|_at$|At$|expire|created|updated|modified|until|since|reset|_in$/i

/** Whether a number is an id: by its field name, or because it is larger than usual counts; timestamps and sizes are excluded by name. */
const isIdNumber = (value: number, name: string) =>
  Number.isSafeInteger(value) &&
  value >= (idNames.test(name) ? 1000 : 1_000_000) &&
  !/count|size|bytes|total|number/i.test(name) &&
  !timeNames.test(name)

/** An object with an error code and a message is an error, whatever the HTTP status is. */
const isErrorObject = (value: { [key: string]: Json }) =>
  'message' in value && 'code' in value && value.code !== 0 && value.message !== ''

const responseHeaderNames =
  /^(content-type|location|etag|range|retry-after|x-restli-id|x-rate-limit-.*|x-(app|page|business-use-case)-usage)$/
const requestHeaderNames = /^(content-type|content-range|linkedin-version|x-(?!.*(token|secret)).*|offset|file_size)$/

const headerText = (name: string, value: string, text: (value: string) => string) =>
  name === 'content-type' || isTimestamp(value, name) ? value : text(value.replaceAll('%3A', ':'))

/** A date, or a number in a field with the name of a time. */
export const isTimestamp = (value: unknown, name: string) =>
  /^\d{4}-\d{2}-\d{2}([T ][\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(String(value)) ||
  (timeNames.test(name) && /^\d{10,13}$/.test(String(value)))

const isEmail = /^[\w.+-]+@[\w-]+(\.[\w-]+)+$/
const isUrl = (value: string) => /^https?:\/\/[^\s]+$/.test(value)
const withoutAtSign = (name: string) => name.replace(/^@/, '')

export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
