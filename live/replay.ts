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
import { observed } from './recorder.ts'
import { type Exchange, isBytes, type Recording } from './recording.ts'
import { decoded, isMoment, isSecretParameter, roleOf } from './scrub.ts'
import { runSteps, type StepResult } from './steps.ts'

/** Where today's connector does something else with the recorded answers than the one that was recorded. */
export type Problem = string

/** Runs the steps of a recording against its answers; nothing is called. */
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
          begins,
          // The content is not in a recording, only its length.
          media: (name) => mediaRef(name, media[name], mediaUrl, (from, to) => new Uint8Array(to - from)),
          ends: () => undefined,
        },
        checks,
      )),
    )
  const unasked = recording.exchanges
    .filter((exchange) => !outbound.served.has(exchange))
    .map((exchange) => `${exchange.step}: the connector no longer makes the call ${callOf(exchange)}.`)
  return { results, problems: [...problems, ...outcomeProblems(recording.results, results), ...unasked] }
}

function outcomeProblems(before: readonly StepResult[], now: readonly StepResult[]): Problem[] {
  const problems: Problem[] = []
  for (const [index, was] of before.entries()) {
    const is = now.find(({ name }) => name === was.name)
    if (!is) problems.push(`${was.name}: the step was not reached.`)
    else if (is.outcome !== was.outcome || is.fault !== was.fault)
      problems.push(`${was.name}: was ${told(was)}, is ${told(is)}. ${is.detail}`)
    else if (is.remoteId !== was.remoteId && now[index]?.name === was.name)
      problems.push(`${was.name}: read the id ${is.remoteId} where it was ${was.remoteId}.`)
  }
  const more = now.filter(({ name }) => !before.some((was) => was.name === name))
  return [...problems, ...more.map(({ name }) => `${name}: the step is not in the recording.`)]
}

const told = ({ outcome, fault }: StepResult) => (fault === undefined ? outcome : `${outcome} (${fault})`)

/** Serves recorded answers, each once, to the call that asks for the same; time passes as it did then. */
function replayOutbound(recording: Recording, hosts: { readonly [role: string]: string }) {
  const served = new Set<Exchange>()
  const problems: Problem[] = []
  let time = Date.parse(recording.startedAt)
  let step = 'connect'
  const unable = async () => {
    throw new Error('A replay makes no connections.')
  }
  const outbound: Outbound & { served: Set<Exchange> } = {
    check: unable,
    stream: unable,
    checkHost: unable,
    connect: unable,
    aliasesOf: unable,
    served,
    close: async () => undefined,
    async send(request) {
      const asked = await described(request, hosts)
      const open = recording.exchanges.filter((exchange) => !served.has(exchange) && isSameCall(exchange, asked))
      const found = open.find((exchange) => differing(exchange, asked).length === 0)
      if (!found) {
        const [nearest] = open
        const why = nearest ? ` with other parameters: ${differing(nearest, asked).join(', ')}` : ''
        problems.push(`${step}: the recording has no answer for ${callOf(asked)}${why}.`)
        throw new Error(`The recording has no answer for ${callOf(asked)}.`)
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

async function described(request: OutboundRequest, hosts: { readonly [role: string]: string }): Promise<Call> {
  const { copy, sent } = observed(request)
  const { body } = copy
  // A body that comes in pieces is known when all of it was read.
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

/** Names of parameters that one call has and the other has not, or with another value. */
function differing(one: Call, other: Call): string[] {
  const [left, right] = [parametersOf(one), parametersOf(other)]
  const names = new Set([...left.keys(), ...right.keys()])
  return [...names].filter((name) => left.get(name) !== right.get(name))
}

/** Everything a call says, by name. Secrets and moments are other ones each time. */
export function parametersOf({ query, sent }: Pick<Exchange, 'query' | 'sent'>): Map<string, string> {
  const parameters = new Map<string, string>()
  const add = (name: string, value: Json) => {
    const last = name.split('.').at(-1)?.replace(/\[\]$/, '') ?? ''
    if (isBytes(value)) parameters.set(name, `${value.length} bytes`)
    else if (Array.isArray(value)) for (const [index, one] of value.entries()) add(`${name}[${index}]`, one)
    else if (value !== null && typeof value === 'object')
      for (const [key, one] of Object.entries(value)) add(name ? `${name}.${key}` : key, one)
    else parameters.set(name, isSecretParameter(last) || isMoment(value, last) ? '*' : String(value))
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
