import type { OutboundRequest } from '#kernel/outbound/exchange.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outbound, OutboundAnswer } from '#kernel/outbound/outbound.ts'
import type { Connector } from '#networks/connector/connector.ts'
import { hostsOf } from '#networks/connector/manifest.ts'
import type { Json } from '#networks/http/json.ts'
import { manifestOf } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import { connectStep, placeholders, startOf } from './connect.ts'
import { mediaRef } from './media.ts'
import { observeRequest } from './recorder.ts'
import { type Exchange, isBytes, type Recording } from './recording.ts'
import { decoded, isSecretParameter, isTimestamp, roleOf } from './scrub.ts'
import { runSteps, type StepResult } from './steps.ts'

/** A difference between the current connector's behaviour and the recorded one, given the same responses. */
export type Problem = string

/** Runs the steps of a recording against its recorded responses, without network access. */
export async function replay(recording: Recording): Promise<{ results: StepResult[]; problems: Problem[] }> {
  const { network, apiVersion, options, scopes, mark, link, mediaUrl, media, checks, profile } = recording
  const hosts = hostsOf(manifestOf(network), options)
  const { outbound, clock, wait, begins, problems } = replayOutbound(recording, hosts)
  const { clientId, clientSecret } = placeholders
  const app = { clientId, clientSecret, apiVersion, hosts, options, scopes }
  const connector = openNetworks({ [network]: app }, { outbound, clock }).connector(network) as Connector
  const { actors, result } = await connectStep(connector, startOf(recording), clock)
  const actor = actors.find(({ remoteId }) => remoteId === profile.remoteId)
  const results = [result]
  if (actor)
    results.push(
      ...(await runSteps(
        {
          connector,
          actor,
          clock,
          wait,
          mark,
          link,
          onStepStart: begins,
          // A recording contains only the length of the content.
          media: (name) => mediaRef(name, media[name], mediaUrl, (from, to) => new Uint8Array(to - from)),
          onStepEnd: () => undefined,
        },
        checks,
      )),
    )
  const unusedCalls = recording.exchanges
    .filter((exchange) => !outbound.served.has(exchange))
    .map((exchange) => `${exchange.step}: the connector no longer makes the call ${callOf(exchange)}.`)
  return { results, problems: [...problems, ...outcomeProblems(recording.results, results), ...unusedCalls] }
}

function outcomeProblems(before: readonly StepResult[], now: readonly StepResult[]): Problem[] {
  const problems: Problem[] = []
  for (const [index, previous] of before.entries()) {
    const current = now.find(({ name }) => name === previous.name)
    if (!current) problems.push(`${previous.name}: the step was not reached.`)
    else if (current.outcome !== previous.outcome || current.fault !== previous.fault)
      problems.push(`${previous.name}: was ${outcomeText(previous)}, is ${outcomeText(current)}. ${current.detail}`)
    else if (current.remoteId !== previous.remoteId && now[index]?.name === previous.name)
      problems.push(`${previous.name}: read the id ${current.remoteId} where it was ${previous.remoteId}.`)
  }
  const added = now.filter(({ name }) => !before.some((previous) => previous.name === name))
  return [...problems, ...added.map(({ name }) => `${name}: the step is not in the recording.`)]
}

const outcomeText = ({ outcome, fault }: StepResult) => (fault === undefined ? outcome : `${outcome} (${fault})`)

/** Serves each recorded response once, to a call with the same parameters, on the clock of the recording. */
function replayOutbound(recording: Recording, hosts: { readonly [role: string]: string }) {
  const served = new Set<Exchange>()
  const problems: Problem[] = []
  let time = Date.parse(recording.startedAt)
  let step = 'connect'
  const unsupported = async () => {
    throw new Error('A replay makes no connections.')
  }
  const outbound: Outbound & { served: Set<Exchange> } = {
    check: unsupported,
    stream: unsupported,
    checkHost: unsupported,
    connect: unsupported,
    aliasesOf: unsupported,
    served,
    close: async () => undefined,
    async send(request) {
      const call = await describeCall(request, hosts)
      const open = recording.exchanges.filter((exchange) => !served.has(exchange) && isSameCall(exchange, call))
      const found = open.find((exchange) => differingParameters(exchange, call).length === 0)
      if (!found) {
        const [nearest] = open
        const detail = nearest ? ` with other parameters: ${differingParameters(nearest, call).join(', ')}` : ''
        problems.push(`${step}: the recording has no answer for ${callOf(call)}${detail}.`)
        throw new Error(`The recording has no answer for ${callOf(call)}.`)
      }
      served.add(found)
      time = Math.max(time, Date.parse(recording.startedAt) + found.at + found.ms)
      return answerOf(found, request.url)
    },
  }
  const wait = async (milliseconds: number) => {
    time += milliseconds
  }
  const begins = (name: string) => {
    step = name
  }
  return { outbound, problems, wait, begins, clock: { now: () => new Date(time) } }
}

type Call = Pick<Exchange, 'method' | 'role' | 'path' | 'query' | 'sent'>

async function describeCall(request: OutboundRequest, hosts: { readonly [role: string]: string }): Promise<Call> {
  const { copy, sent } = observeRequest(request)
  const { body } = copy
  // A streamed body must be read completely before its hash is known.
  if (body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)) for await (const _ of body);
  const { role, rest } = roleOf(request.url, hosts)
  const [path = '', search = ''] = rest.split('?')
  return {
    method: request.method,
    role,
    path: path.split('/').map(decoded).join('/'),
    query: Object.fromEntries(new URLSearchParams(search)),
    sent: sent(),
  }
}

const isSameCall = (one: Call, other: Call) =>
  one.method === other.method && one.role === other.role && one.path === other.path

/** Names of parameters that only one of the calls has, or whose values differ. */
function differingParameters(one: Call, other: Call): string[] {
  const [left, right] = [parametersOf(one), parametersOf(other)]
  const names = new Set([...left.keys(), ...right.keys()])
  return [...names].filter((name) => left.get(name) !== right.get(name))
}

/** All parameters of a call by name. Secrets and timestamps differ between runs, so they are masked. */
export function parametersOf({ query, sent }: Pick<Exchange, 'query' | 'sent'>): Map<string, string> {
  const parameters = new Map<string, string>()
  const add = (name: string, value: Json) => {
    const last = name.split('.').at(-1)?.replace(/\[\]$/, '') ?? ''
    if (isBytes(value)) parameters.set(name, `${value.length} bytes`)
    else if (Array.isArray(value)) for (const [index, one] of value.entries()) add(`${name}[${index}]`, one)
    else if (value !== null && typeof value === 'object')
      for (const [key, one] of Object.entries(value)) add(name ? `${name}.${key}` : key, one)
    else parameters.set(name, isSecretParameter(last) || isTimestamp(value, last) ? '*' : String(value))
  }
  for (const [name, value] of Object.entries(query)) add(name, value)
  if (sent.form === 'json' || sent.form === 'fields') add('', sent.value as Json)
  if (sent.form === 'bytes') parameters.set('(body)', `${sent.value.length} bytes`)
  return parameters
}

function answerOf({ answer }: Exchange, url: string): OutboundAnswer {
  if ('failure' in answer) {
    const failure = new OutboundFailure(answer.failure, answer.message)
    failure.sent = answer.sent
    throw failure
  }
  const { status, headers } = answer
  const body = Buffer.from('json' in answer ? JSON.stringify(answer.json) : answer.text)
  return { status, headers, url, body, truncated: false }
}

export const callOf = ({ method, role, path }: Pick<Exchange, 'method' | 'role' | 'path'>) =>
  `${method} ${role}:${path}`
