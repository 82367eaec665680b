import type { Deed, Subject } from '../../deed.ts'
import { namesInLowerCase } from '../reading/parameter-fields.ts'
import type { Endpoint } from '../route/endpoint.ts'

/** How an operation is named wherever it is told of: the contract without its base, behind whichever door it was called. */
export const operationOf = ({ method, base, path }: Pick<Endpoint, 'method' | 'base' | 'path'>) =>
  `${method} ${base === '/app/api' ? base : ''}${path}`

/** Reads out of a request what the audit log is to say of it; of what changes nothing there is nothing to say. */
export function deedReader(endpoint: Endpoint): (values: object) => Deed | undefined {
  if (isReading(endpoint) || endpoint.untold) return () => undefined
  const operation = operationOf(endpoint)
  const declared = namesInLowerCase(endpoint)
  const inPath = new Set([...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  return (values) => {
    const names = Object.keys(values).map((name) => declared.get(name.toLowerCase()))
    const sent = names.filter((name) => name !== undefined && !inPath.has(name)) as string[]
    return { operation, fields: [...new Set(sent)].sort() }
  }
}

/** Whether it runs statement by statement and changes nothing. */
export const isReading = ({ method, readsOnly }: Endpoint) => method === 'GET' || readsOnly === true

/** What was changed: what the address names, else what the caller named, else what was made; and if nothing says so, the account itself. */
export function subjectOf(endpoint: Endpoint, input: unknown, value: unknown, accountId: string): Subject {
  const named = /\{(\w+)\}/.exec(endpoint.path)?.[1]
  const id = (named && textOf(input, named)) || textOf(input, 'id') || textOf(value, 'id') || accountId
  return { id }
}

function textOf(of: unknown, name: string): string | undefined {
  const value = typeof of === 'object' && of !== null ? (of as { [name: string]: unknown })[name] : undefined
  return typeof value === 'string' ? value : undefined
}
