import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../behaviour/faults.ts'
import { facebook } from '../facebook/api.ts'
import { instagram } from '../instagram/api.ts'
import { linkedin } from '../linkedin/api.ts'
import { tiktok } from '../tiktok/api.ts'
import { twitter } from '../x/api.ts'
import { youtube } from '../youtube/api.ts'
import { type Answer, type Call, type FaultAnswers, type NetworkApi, Refusal } from './call.ts'
import { refusedByHost } from './hosts.ts'
import { matchRoute } from './router.ts'

const apis: Record<string, NetworkApi> = { facebook, instagram, linkedin, x: twitter, youtube, tiktok, hub: youtube }

interface Found {
  api: NetworkApi
  path: string
}

/** Which network a path belongs to, and the path as that network sees it. */
export function apiFor(call: Call): Found | undefined {
  const [, prefix = '', path = '/'] = /^\/([^/]+)(\/.*)?$/.exec(call.path) ?? []
  const api = apis[prefix]
  if (!api) return undefined
  return api === facebook && isInstagramNode(call, path) ? { api: instagram, path } : { api, path }
}

/** Serves a call and counts it, refused or not. */
export async function serveApi(call: Call, found: Found): Promise<Answer | 'lost'> {
  const { charges } = call.world
  const { network } = found.api
  try {
    const answer = await serveRoute(call, found)
    charges.called(network, answer !== 'lost' && answer.status >= 400)
    return answer
  } catch (error) {
    if (error instanceof Refusal) charges.called(network, true)
    throw error
  }
}

/** Finds the route, lets planned faults happen, and does what was asked. */
async function serveRoute(call: Call, { api, path }: Found): Promise<Answer | 'lost'> {
  const elsewhere = refusedByHost(call, path, api.answers)
  if (elsewhere) return elsewhere
  const located = api.locate?.(path, call) ?? path
  const match = matchRoute(api.routes, call.method, located)
  if (!match) return api.answers.unknownPath(call)
  const { route, params } = match
  call.params = params
  call.operation = typeof route.operation === 'function' ? route.operation(call) : route.operation
  api.enter?.(call, route)
  const fault = call.world.faults.take(api.network, api.profileOf(call), call.operation)
  if (fault?.fault === 'delay') await sleep(fault.delayMs)
  const refused = fault && faultAnswer(call, api.answers, fault)
  const answer = refused ?? (await route.handle(call))
  api.bill?.(call, route, answer)
  if (fault?.fault === 'lost-answer') return 'lost'
  if (fault?.answer) return fault.answer
  return { ...answer, headers: { ...call.answerHeaders, ...answer.headers } }
}

function faultAnswer(call: Call, answers: FaultAnswers, { fault, answer, afterEffect }: Fault): Answer | undefined {
  switch (fault) {
    case 'answer':
      return afterEffect ? undefined : answer
    case 'rate-limit':
      return answers.rateLimit(call)
    case 'server-error':
      return answers.serverError(call)
    case 'token-expired':
      return answers.tokenExpired(call)
    case 'token-revoked':
      return answers.tokenRevoked(call)
    case 'duplicate':
      return answers.duplicate(call)
    case 'not-ready':
      // Where a state is asked for, "not yet" is an ordinary answer and no error.
      call.notReady = call.operation === 'status'
      return call.notReady ? undefined : answers.notReady(call)
    default:
      return undefined
  }
}

/** Through Facebook's login Instagram is served by Facebook's host. */
function isInstagramNode(call: Call, path: string): boolean {
  const id = /^(?:\/v[\d.]+)?\/([^/]+)/.exec(path)?.[1] ?? ''
  const key = `Instagram:${id}`
  const { profiles, items, containers } = call.world
  return Boolean(profiles.get(key) ?? items.get(key) ?? containers.get(id))
}
