import type { Call } from './call.ts'

/** A field as text; numbers and booleans are written out, anything else is absent. */
export function textOf(source: Call | object, name: string): string | undefined {
  const value = fieldOf(source, name)
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

export function numberOf(source: Call | object, name: string): number | undefined {
  const text = textOf(source, name)
  const value = text === undefined || text === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

export function flagOf(source: Call | object, name: string): boolean {
  return ['true', '1'].includes(textOf(source, name) ?? '')
}

/** A field that is an object, or the JSON text of one, as forms carry it. */
export function objectOf(source: Call | object, name: string): Record<string, unknown> | undefined {
  const value = unfolded(fieldOf(source, name))
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** A field that is a list: an array, its JSON text, or `name[0]`, `name[1]` as forms carry it. */
export function listOf(source: Call | object, name: string): unknown[] {
  const value = unfolded(fieldOf(source, name))
  if (Array.isArray(value)) return value
  const fields = fieldsOf(source)
  return Object.keys(fields)
    .filter((key) => key.startsWith(`${name}[`))
    .map((key) => unfolded(fields[key]))
}

/** The value at a path of names through nested objects. */
export function deepText(source: Call | object, ...names: string[]): string | undefined {
  let at: object = fieldsOf(source)
  for (const name of names.slice(0, -1)) {
    const next = objectOf(at, name)
    if (!next) return undefined
    at = next
  }
  return textOf(at, names.at(-1) ?? '')
}

function fieldsOf(source: Call | object): Record<string, unknown> {
  // Elements of a list that somebody else wrote can be anything.
  if (source === null || typeof source !== 'object') return {}
  return 'fields' in source && 'world' in source ? source.fields : (source as Record<string, unknown>)
}

function fieldOf(source: Call | object, name: string): unknown {
  return fieldsOf(source)[name]
}

function unfolded(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
