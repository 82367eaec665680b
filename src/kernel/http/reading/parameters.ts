import type { z } from 'zod'
import { invalid } from '../../errors.ts'
import { decodeUtf8, readForm, type Values } from './form.ts'
import { maximumDepth, nestedTooDeeply, readJson } from './json-body.ts'
import { readMultipart } from './multipart.ts'

export interface RawRequest {
  path: { [name: string]: string }
  query: string
  contentType: string | undefined
  body: Buffer | undefined
}

/** Everything a request sends, by name: the query, over it the body, over both the path. */
export function gather({ path, query, contentType, body }: RawRequest): Values {
  const values: Values = { ...readForm(query), ...readBody(contentType, body) }
  checkTexts(values, 0)
  for (const [name, value] of Object.entries(path)) {
    // What no id can look like names nothing, like an id that nothing has.
    values[name] = /^[\x21-\x7e]{1,200}$/.test(value) ? value : ''
  }
  return values
}

/** Makes the reader of one endpoint's parameters out of their declaration. */
export function parameterReader<Input>(
  params: z.ZodType<Input>,
  byLowerCase: ReadonlyMap<string, string>,
): (values: Values) => Input {
  const declared = new Set(byLowerCase.values())
  return (values) => {
    const own: Values = {}
    const others: string[] = []
    for (const name in values) {
      if (declared.has(name)) own[name] = values[name]
      else others.push(name)
    }
    for (const name of others) {
      const meant = byLowerCase.get(name.toLowerCase())
      if (meant && !Object.hasOwn(own, meant)) own[meant] = values[name]
    }
    const { success, data, error } = params.safeParse(own)
    if (success) return data
    throw invalid(sentence(error.issues[0] as Issue))
  }
}

type Issue = z.core.$ZodIssue & { params?: { whole?: boolean; missing?: boolean } }

function sentence({ path, message, params }: Issue): string {
  if (params?.missing) return `Missing value for parameter ${path.join('.')}.`
  return params?.whole ? message : `${path.join('.')} ${message}.`
}

function readBody(contentType: string | undefined, body: Buffer | undefined): Values {
  if (!body || body.length === 0) return {}
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'multipart/form-data') return readMultipart(contentType ?? '', body)
  const text = decodeUtf8(body)
  if (type.endsWith('json')) return readJson(text)
  if (type === 'application/x-www-form-urlencoded') return readForm(text)
  // Scripts that forget the header still say plainly what they sent.
  if (type === '' || type === 'text/plain') return /^\s*\{/.test(text) ? readJson(text) : readForm(text)
  throw invalid(
    `The content type ${type.slice(0, 80)} is not supported. Send application/x-www-form-urlencoded, multipart/form-data or application/json.`,
  )
}

/** Refuses what PostgreSQL cannot hold, and makes null the empty value. */
function checkTexts(values: Values | unknown[], depth: number) {
  if (depth > maximumDepth) throw nestedTooDeeply()
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string') checkText(name, value)
    else if (value === null) (values as Values)[name] = ''
    else if (typeof value === 'object') checkTexts(value as Values, depth + 1)
  }
}

function checkText(name: string, value: string) {
  if (value.includes('\0')) throw invalid(`${name.slice(0, 80)} must not contain the NUL character.`)
  if (!value.isWellFormed()) throw invalid(`${name.slice(0, 80)} must be valid Unicode text.`)
}
