import type { JsonSchema } from './fields.ts'
import { param, readCount, refuse, scalar } from './parameter.ts'
import { objectSchema } from './request-schema.ts'

/** Texts by their names. Those that are not given are absent; null says that there is to be no such object. */
export type Texts<Name extends string> = { [name in Name]?: string }

/** An object of texts in any of its encodings: `a[b]=`, JSON, JSON as text. Nothing, null and an object without anything are null. */
export const texts = <const Name extends string>(described: { readonly [name in Name]: JsonSchema }) => {
  const names = Object.keys(described) as Name[]
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', ...described[name] }]))
  const schema = objectSchema({ properties }, { none: true })
  return param(schema, (raw): Texts<Name> | null => {
    const object = typeof raw === 'string' ? parsed(raw.trim()) : raw
    if (object === null) return null
    if (typeof object !== 'object' || Array.isArray(object)) return refuse('must be an object')
    if (Object.keys(object).length === 0) return null
    const given = names.flatMap((name) => {
      const value = (object as { [name: string]: unknown })[name]
      return value === undefined ? [] : [[name, sayable(scalar(value ?? ''))]]
    })
    return Object.fromEntries(given) as Texts<Name>
  })
}

/** An object of whole numbers within bounds, in any of its encodings; what is empty is left out. */
export const counts = <const Name extends string>(names: readonly Name[], least: number, most: number) => {
  const number: JsonSchema = { type: 'integer', minimum: least, maximum: most }
  const schema = objectSchema({ properties: Object.fromEntries(names.map((name) => [name, number])) })
  return param(schema, (raw): { [name in Name]?: number } => {
    const object = (typeof raw === 'string' ? parsed(raw.trim()) : raw) ?? {}
    if (typeof object !== 'object' || (Array.isArray(object) && object.length > 0)) return refuse('must be an object')
    const given = Object.entries(object).filter(([, value]) => value !== null && value !== '')
    const strange = given.find(([name]) => !(names as readonly string[]).includes(name))
    if (strange) refuse(`can name ${names.join(', ')}`)
    return Object.fromEntries(given.map(([name, value]) => [name, readCount(value, least, most)])) as {
      [name in Name]?: number
    }
  })
}

function parsed(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return refuse('must be an object')
  }
}

/** JSON as text can hold what was refused elsewhere: what the database cannot. */
function sayable(text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) refuse('must hold valid Unicode text without NUL')
  return text.replaceAll('\r\n', '\n').trim()
}
