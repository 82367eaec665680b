import type { Operation } from '../behaviour/faults.ts'
import type { Network } from '../state/rows.ts'
import type { Call } from './request.ts'
import { type Answer, html, page } from './response.ts'

export interface Route {
  method: string
  path: string
  operation: Operation | ((call: Call) => Operation)
  handle(call: Call): Answer | Promise<Answer>
}

/** The answers a network gives to planned faults, in its own form. */
export interface FaultAnswers {
  rateLimit(call: Call): Answer
  serverError(call: Call): Answer
  tokenExpired(call: Call): Answer
  tokenRevoked(call: Call): Answer
  duplicate(call: Call): Answer
  notReady(call: Call): Answer
  unknownPath(call: Call): Answer
}

export interface NetworkApi {
  network: Network
  routes: Route[]
  answers: FaultAnswers
  /** Rewrites the path before it is matched: versions, doubled prefixes. */
  locate?(path: string, call: Call): string
  /** Version checks and rate limits. */
  enter?(call: Call, route: Route): void
  /** Puts an answer on the bill of a network that charges for calls. */
  bill?(call: Call, route: Route, answer: Answer): void
  /** Whom the call is about, as far as it can be told before it is served. */
  profileOf(call: Call): string | undefined
}

export function route(
  method: string,
  path: string,
  operation: Operation | ((call: Call) => Operation),
  handle: Route['handle'],
): Route {
  return { method, path, operation, handle }
}

/** The first route whose path fits; parts that begin with a colon take whatever stands there, percent-decoded. */
export function matchRoute(routes: Route[], method: string, path: string) {
  const given = partsOf(path)
  for (const candidate of routes) {
    if (candidate.method !== method) continue
    const params = matchPath(partsOf(candidate.path), given)
    if (params) return { route: candidate, params }
  }
  return undefined
}

function partsOf(path: string): string[] {
  return path.split('/').filter(Boolean)
}

function matchPath(pattern: string[], given: string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decoded(value)
    else if (part !== value) return undefined
  }
  return params
}

/** Percent-decoded, or as it is when it cannot be. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A host of a network: the paths it serves, as the network itself sees them. */
interface Host {
  /** What the network's paths begin with in the sandbox. */
  prefix: string
  serves: RegExp
  /** Hosts for browsers answer unknown paths with a page, the others in the API's own form. */
  isWebsite?: true
}

/**
 * Every host that a connector calls, by its real name. `/graph.facebook.com/v26.0/me` stands for https://graph.facebook.com/v26.0/me:
 * each host has a base address of its own, so a connector that calls the wrong one is refused here as it is there.
 */
const hosts: { readonly [name: string]: Host } = {
  'www.facebook.com': { prefix: 'facebook', serves: /^(\/v\d+\.\d+)?\/dialog\/oauth$/, isWebsite: true },
  'graph.facebook.com': { prefix: 'facebook', serves: /^(?!(\/v\d+\.\d+)?\/dialog\/|\/video-upload\/)/ },
  'rupload.facebook.com': { prefix: 'facebook', serves: /^\/video-upload\// },
  'www.instagram.com': { prefix: 'instagram', serves: /^\/oauth\/authorize\/?$/, isWebsite: true },
  'api.instagram.com': { prefix: 'instagram', serves: /^\/oauth\/access_token$/ },
  'graph.instagram.com': { prefix: 'instagram', serves: /^(?!(\/v\d+\.\d+)?\/oauth\/)/ },
  'www.linkedin.com': { prefix: 'linkedin', serves: /^\/(oauth\/v2|dms-uploads)\//, isWebsite: true },
  'api.linkedin.com': { prefix: 'linkedin', serves: /^\/(v2|rest)\// },
  'x.com': { prefix: 'x', serves: /^\/i\/oauth2\/authorize$/, isWebsite: true },
  'api.x.com': { prefix: 'x', serves: /^\/(2|oauth2)\// },
  'accounts.google.com': { prefix: 'youtube', serves: /^\/o\/oauth2\/v2\/auth$/, isWebsite: true },
  'oauth2.googleapis.com': { prefix: 'youtube', serves: /^\/(token|tokeninfo|revoke)$/ },
  'www.googleapis.com': { prefix: 'youtube', serves: /^(\/upload)?\/youtube\/v3\// },
  'youtubeanalytics.googleapis.com': { prefix: 'youtube', serves: /^\/v2\/reports$/ },
  'pubsubhubbub.appspot.com': { prefix: 'youtube', serves: /^\/subscribe$/ },
  'www.youtube.com': { prefix: 'youtube', serves: /^\/xml\/feeds\/videos\.xml$/, isWebsite: true },
  'www.tiktok.com': { prefix: 'tiktok', serves: /^\/v2\/auth\/authorize\/?$/, isWebsite: true },
  'open.tiktokapis.com': { prefix: 'tiktok', serves: /^\/v2\/(?!auth\/)/ },
  'open-upload.tiktokapis.com': { prefix: 'tiktok', serves: /^\/upload\// },
  'business-api.tiktok.com': { prefix: 'tiktok', serves: /^\/open_api\// },
}

/** Takes a host's name off the path: what remains begins with the network's prefix. */
export function hostIn(path: string): { host?: string; path: string } {
  const [, name = '', rest = '/'] = /^\/([^/]+)(\/.*)?$/.exec(path) ?? []
  if (!Object.hasOwn(hosts, name)) return { path }
  return { host: name, path: `/${hosts[name]?.prefix}${rest}` }
}

/** What a host answers to a path that it does not serve, where another host of its network may; nothing where it serves it. */
export function refusedByHost(call: Call, path: string, { unknownPath }: FaultAnswers): Answer | undefined {
  const known = call.host === undefined ? undefined : hosts[call.host]
  if (!known || known.serves.test(path)) return undefined
  return known.isWebsite ? html(page('Not here', `<p>${call.host} has no such page.</p>`), 404) : unknownPath(call)
}

/** Where a host of the caller's network is reached; callers that name no host get one address for all of them. */
export const addressOf = (call: Call, host: string) =>
  `${call.origin}/${call.host === undefined ? hosts[host]?.prefix : host}`
