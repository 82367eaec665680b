import type { Json } from '#networks/http/json.ts'
import type { Exchange } from './recording.ts'
import { parametersOf } from './replay.ts'

export interface Difference {
  step: string
  call: string
  what:
    | 'call only in the recording'
    | 'call only in the sandbox'
    | 'order of calls'
    | 'parameter'
    | 'status'
    | 'field only in the recording'
    | 'field only in the sandbox'
    | 'type of field'
    | 'error'
  detail: string
}

/** Differences between the responses of the network and of the sandbox to the same steps. */
export function compareExchanges(recorded: readonly Exchange[], emulated: readonly Exchange[]): Difference[] {
  const steps = new Set([...recorded, ...emulated].map(({ step }) => step))
  return [...steps].flatMap((step) => {
    const [real, sandbox] = [recorded, emulated].map((all) => byCall(all.filter((exchange) => exchange.step === step)))
    return real && sandbox ? compareStep(step, real, sandbox) : []
  })
}

type Calls = Map<string, Exchange[]>

/** Groups repeated calls, such as status polling for a video: their number is not significant. */
function byCall(exchanges: readonly Exchange[]): Calls {
  const calls: Calls = new Map()
  for (const exchange of exchanges) {
    const call = `${exchange.method} ${exchange.role}:${templateOf(exchange.path)}`
    calls.set(call, [...(calls.get(call) ?? []), exchange])
  }
  return calls
}

function compareStep(step: string, real: Calls, sandbox: Calls): Difference[] {
  const differences: Difference[] = []
  const add = (call: string, what: Difference['what'], detail: string) =>
    void differences.push({ step, call, what, detail })
  for (const [call, exchanges] of real) {
    const other = sandbox.get(call)
    if (!other) add(call, 'call only in the recording', `answered ${outcomes(exchanges).join(', ')}`)
    else for (const { what, detail } of compareCall(exchanges, other)) add(call, what, detail)
  }
  for (const [call, exchanges] of sandbox)
    if (!real.has(call)) add(call, 'call only in the sandbox', `answered ${outcomes(exchanges).join(', ')}`)
  const common = (calls: Calls, others: Calls) => [...calls.keys()].filter((call) => others.has(call))
  const [one, other] = [common(real, sandbox), common(sandbox, real)]
  const moved = one.find((call, index) => other[index] !== call)
  if (moved !== undefined) add(moved, 'order of calls', `the sandbox has ${other.join(', then ')}`)
  return differences
}

type Finding = Pick<Difference, 'what' | 'detail'>

function compareCall(real: readonly Exchange[], sandbox: readonly Exchange[]): Finding[] {
  const findings: Finding[] = []
  const [names, otherNames] = [parameterNames(real), parameterNames(sandbox)]
  for (const name of names) if (!otherNames.has(name)) findings.push(only('parameter', name, 'recording'))
  for (const name of otherNames) if (!names.has(name)) findings.push(only('parameter', name, 'sandbox'))
  const [statuses, otherStatuses] = [outcomes(real), outcomes(sandbox)]
  if (statuses.join() !== otherStatuses.join())
    findings.push({ what: 'status', detail: `${statuses.join(', ')}; the sandbox: ${otherStatuses.join(', ')}` })
  // Responses with different statuses have different fields, which are not separate findings.
  for (const status of statuses.filter((one) => otherStatuses.includes(one))) {
    const [responses, others] = [real, sandbox].map((all) => all.filter((one) => outcome(one) === status))
    findings.push(...compareResponses(responses ?? [], others ?? []))
  }
  return findings
}

const only = (what: Finding['what'], name: string, where: string): Finding => ({
  what,
  detail: `${name}, only in the ${where}`,
})

const outcome = ({ answer }: Exchange) => ('failure' in answer ? answer.failure : String(answer.status))
const outcomes = (exchanges: readonly Exchange[]) => [...new Set(exchanges.map(outcome))].sort()

const parameterNames = (exchanges: readonly Exchange[]) =>
  new Set(exchanges.flatMap((exchange) => [...parametersOf(exchange).keys()].map(templateOfField)))

function compareResponses(real: readonly Exchange[], sandbox: readonly Exchange[]): Finding[] {
  const [fields, others] = [fieldsOf(real), fieldsOf(sandbox)]
  const findings: Finding[] = []
  for (const [path, types] of fields) {
    const expected = others.get(path)
    if (!expected) {
      if (isComparable(path, others))
        findings.push({ what: 'field only in the recording', detail: `${path}: ${typesText(types)}` })
    } else if (!isCompatible(types, expected))
      findings.push({
        what: 'type of field',
        detail: `${path}: ${typesText(types)}; the sandbox: ${typesText(expected)}`,
      })
  }
  for (const [path, types] of others)
    if (!fields.has(path) && isComparable(path, fields))
      findings.push({ what: 'field only in the sandbox', detail: `${path}: ${typesText(types)}` })
  const [errors, otherErrors] = [errorCodes(real), errorCodes(sandbox)]
  if (errors.join() !== otherErrors.join())
    findings.push({
      what: 'error',
      detail: `${errors.join(', ') || 'none'}; the sandbox: ${otherErrors.join(', ') || 'none'}`,
    })
  return findings
}

type Fields = Map<string, Set<string>>

/** The types of each field by path; all elements of a list share one path. */
function fieldsOf(exchanges: readonly Exchange[]): Fields {
  const fields: Fields = new Map()
  const add = (path: string, type: string) => fields.set(path, (fields.get(path) ?? new Set()).add(type))
  const visit = (value: Json, path: string): void => {
    if (Array.isArray(value)) {
      add(path, 'list')
      for (const one of value) visit(one, `${path}[]`)
    } else if (value !== null && typeof value === 'object') {
      add(path, 'object')
      for (const [key, one] of Object.entries(value)) visit(one, path ? `${path}.${templateOf(key)}` : templateOf(key))
    } else add(path, value === null ? 'null' : typeof value)
  }
  for (const { answer } of exchanges) if ('json' in answer) visit(answer.json, '')
  return fields
}

/** Whether the other side could have returned the field: its parent exists there and is not an empty list. */
function isComparable(path: string, others: Fields): boolean {
  const parentPath = path.replace(/(\[\]|\.?[^.[\]]+)$/, '')
  if (path.endsWith('[]')) return false
  return others.get(parentPath)?.has('object') ?? false
}

const isCompatible = (types: Set<string>, expected: Set<string>) =>
  types.has('null') || expected.has('null') || [...types].some((type) => expected.has(type))

const typesText = (types: Set<string>) => [...types].sort().join(' or ')

/** Error codes and types, by which connectors classify errors. */
function errorCodes(exchanges: readonly Exchange[]): string[] {
  const codes = new Set<string>()
  const visit = (value: Json, name: string, isError: boolean): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, name, isError)
    else if (value !== null && typeof value === 'object') {
      const inError = isError || 'error' in value || ('code' in value && value.code !== 0)
      for (const [key, one] of Object.entries(value)) visit(one, key, inError)
    } else if (isError && /code$|^type$|^reason$|^error$|^status$/i.test(name)) codes.add(`${name}=${value}`)
  }
  for (const { answer } of exchanges) if ('json' in answer) visit(answer.json, '', answer.status >= 400)
  return [...codes].sort()
}

/** A path with ids replaced by `{id}`. */
export const templateOf = (path: string) =>
  path
    .split('/')
    .map((part) => (isId(part) ? '{id}' : part))
    .join('/')

const isId = (part: string) => /^urn:|\d{4,}|^(?=.*\d)(?=.*[A-Za-z])[\w-]{10,}$/.test(part)

const templateOfField = (name: string) =>
  name
    .replace(/\[\d+\]/g, '[]')
    .split('.')
    .map(templateOf)
    .join('.')
