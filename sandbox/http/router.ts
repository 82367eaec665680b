import type { Operation } from '../behaviour/faults.ts'
import type { Network } from '../state/rows.ts'
import type { ApiRequest } from './request.ts'
import { type ApiResponse, html, renderPage } from './response.ts'

export interface Route {
  method: string
  path: string
  operation: Operation | ((request: ApiRequest) => Operation)
  handle(request: ApiRequest): ApiResponse | Promise<ApiResponse>
}

/** Responses to planned faults in the format of the network. */
export interface FaultResponses {
  rateLimit(request: ApiRequest): ApiResponse
  serverError(request: ApiRequest): ApiResponse
  tokenExpired(request: ApiRequest): ApiResponse
  tokenRevoked(request: ApiRequest): ApiResponse
  duplicate(request: ApiRequest): ApiResponse
  notReady(request: ApiRequest): ApiResponse
  unknownPath(request: ApiRequest): ApiResponse
}

export interface NetworkApi {
  network: Network
  routes: Route[]
  faultResponses: FaultResponses
  /** Rewrites the path before routing: versions, repeated prefixes. */
  rewritePath?(path: string, request: ApiRequest): string
  /** Version checks and rate limits. */
  guard?(request: ApiRequest, route: Route): void
  /** Records the cost of a request on networks that charge for requests. */
  bill?(request: ApiRequest, route: Route, response: ApiResponse): void
  /** The profile that the request is about, as far as known before routing. */
  profileOf(request: ApiRequest): string | undefined
}

export function route(
  method: string,
  path: string,
  operation: Operation | ((request: ApiRequest) => Operation),
  handle: Route['handle'],
): Route {
  return { method, path, operation, handle }
}

/** The first matching route; segments with a colon are parameters, percent-decoded. */
export function matchRoute(routes: Route[], method: string, path: string) {
  const given = segmentsOf(path)
  for (const candidate of routes) {
    if (candidate.method !== method) continue
    const params = matchPath(segmentsOf(candidate.path), given)
    if (params) return { route: candidate, params }
  }
  return undefined
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter(Boolean)
}

function matchPath(pattern: string[], given: string[]): Record<string, string> | undefined {
  if (pattern.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const value = given[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decodeSegment(value)
    else if (part !== value) return undefined
  }
  return params
}

/** Percent-decodes, or returns malformed input unchanged. */
export function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A host of a network and the paths it serves. */
interface Host {
  /** Path prefix of the network in the sandbox. */
  prefix: string
  serves: RegExp
  /** Websites respond to unknown paths with a page, API hosts in the API's format. */
  isWebsite?: true
}

/**
 * Every host that a connector calls, by its real name. `/graph.facebook.com/v26.0/me` emulates https://graph.facebook.com/v26.0/me:
 * each host has its own base URL, so a connector that calls the wrong host fails here as it does on the network.
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

/** Splits a host name from the path; the rest gets the prefix of the network. */
export function splitHost(path: string): { host?: string; path: string } {
  const [, name = '', rest = '/'] = /^\/([^/]+)(\/.*)?$/.exec(path) ?? []
  if (!Object.hasOwn(hosts, name)) return { path }
  return { host: name, path: `/${hosts[name]?.prefix}${rest}` }
}

/** The response of a host to a path that it does not serve; undefined if it serves it. */
export function wrongHostResponse(
  request: ApiRequest,
  path: string,
  { unknownPath }: FaultResponses,
): ApiResponse | undefined {
  const known = request.host === undefined ? undefined : hosts[request.host]
  if (!known || known.serves.test(path)) return undefined
  return known.isWebsite
    ? html(renderPage('Not here', `<p>${request.host} has no such page.</p>`), 404)
    : unknownPath(request)
}

/** Base URL of a host; callers that use no host names get one URL for all hosts. */
export const baseUrlOf = (request: ApiRequest, host: string) =>
  `${request.origin}/${request.host === undefined ? hosts[host]?.prefix : host}`
