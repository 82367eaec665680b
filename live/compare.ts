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

/** Where the network and its emulator answered the same steps in different ways. */
export function compareExchanges(recorded: readonly Exchange[], emulated: readonly Exchange[]): Difference[] {
  const steps = new Set([...recorded, ...emulated].map(({ step }) => step))
  return [...steps].flatMap((step) => {
    const [real, sandbox] = [recorded, emulated].map((all) => byCall(all.filter((exchange) => exchange.step === step)))
    return real && sandbox ? compareStep(step, real, sandbox) : []
  })
}

type Calls = Map<string, Exchange[]>

/** Repetitions of a call, such as looking whether a video is ready, are one: how many there are says nothing. */
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
  // Answers of other statuses have other fields, which are no finding of their own.
  for (const status of statuses.filter((one) => otherStatuses.includes(one))) {
    const [answers, others] = [real, sandbox].map((all) => all.filter((one) => outcome(one) === status))
    findings.push(...compareAnswers(answers ?? [], others ?? []))
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

function compareAnswers(real: readonly Exchange[], sandbox: readonly Exchange[]): Finding[] {
  const [fields, others] = [fieldsOf(real), fieldsOf(sandbox)]
  const findings: Finding[] = []
  for (const [path, types] of fields) {
    const expected = others.get(path)
    if (!expected) {
      if (isTold(path, others))
        findings.push({ what: 'field only in the recording', detail: `${path}: ${told(types)}` })
    } else if (!isCompatible(types, expected))
      findings.push({ what: 'type of field', detail: `${path}: ${told(types)}; the sandbox: ${told(expected)}` })
  }
  for (const [path, types] of others)
    if (!fields.has(path) && isTold(path, fields))
      findings.push({ what: 'field only in the sandbox', detail: `${path}: ${told(types)}` })
  const [errors, otherErrors] = [errorWords(real), errorWords(sandbox)]
  if (errors.join() !== otherErrors.join())
    findings.push({
      what: 'error',
      detail: `${errors.join(', ') || 'none'}; the sandbox: ${otherErrors.join(', ') || 'none'}`,
    })
  return findings
}

type Fields = Map<string, Set<string>>

/** Each field by its path, with its types; elements of a list count as one. */
function fieldsOf(exchanges: readonly Exchange[]): Fields {
  const fields: Fields = new Map()
  const add = (path: string, type: string) => fields.set(path, (fields.get(path) ?? new Set()).add(type))
  const look = (value: Json, path: string): void => {
    if (Array.isArray(value)) {
      add(path, 'list')
      for (const one of value) look(one, `${path}[]`)
    } else if (value !== null && typeof value === 'object') {
      add(path, 'object')
      for (const [key, one] of Object.entries(value)) look(one, path ? `${path}.${templateOf(key)}` : templateOf(key))
    } else add(path, value === null ? 'null' : typeof value)
  }
  for (const { answer } of exchanges) if ('json' in answer) look(answer.json, '')
  return fields
}

/** Whether the other side would have shown the field: what is around it is there, and is no empty list. */
function isTold(path: string, others: Fields): boolean {
  const around = path.replace(/(\[\]|\.?[^.[\]]+)$/, '')
  if (path.endsWith('[]')) return false
  return others.get(around)?.has('object') ?? false
}

const isCompatible = (types: Set<string>, expected: Set<string>) =>
  types.has('null') || expected.has('null') || [...types].some((type) => expected.has(type))

const told = (types: Set<string>) => [...types].sort().join(' or ')

/** Codes and kinds of refusals, which connectors decide by. */
function errorWords(exchanges: readonly Exchange[]): string[] {
  const words = new Set<string>()
  const look = (value: Json, name: string, isRefusal: boolean): void => {
    if (Array.isArray(value)) for (const one of value) look(one, name, isRefusal)
    else if (value !== null && typeof value === 'object') {
      const refusal = isRefusal || 'error' in value || ('code' in value && value.code !== 0)
      for (const [key, one] of Object.entries(value)) look(one, key, refusal)
    } else if (isRefusal && /code$|^type$|^reason$|^error$|^status$/i.test(name)) words.add(`${name}=${value}`)
  }
  for (const { answer } of exchanges) if ('json' in answer) look(answer.json, '', answer.status >= 400)
  return [...words].sort()
}

/** A path with its ids taken out. */
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
