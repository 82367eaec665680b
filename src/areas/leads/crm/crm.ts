import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'

/** An external system with people and cases. */
export interface Crm {
  /** Checks the connection and credentials; returns details needed later. */
  check(): Promise<Facts>
  readonly actions: { readonly [name: string]: CrmAction }
  /** Creates or updates a case: idempotent by its key. */
  saveCase(requested: CaseRequest): Promise<SavedCase>
}

export type Facts = { readonly [name: string]: string }

export type Payload = { readonly [name: string]: unknown }

/** A named operation of the system. */
export interface CrmAction {
  /** Payload fields and whether they are texts or objects. */
  readonly needs: { readonly [name: string]: 'text' | 'object' }
  run(payload: Payload): Promise<ActionResult>
}

export interface ActionResult {
  /** As returned by the external system. */
  record: object
  /** The person the record belongs to, if any. */
  person?: { id: string; email: string } | undefined
}

export interface CaseRequest {
  key: string
  /** Id of the existing record, if known. */
  remoteId: string
  subject: string
  description: string
  owner: string
  contactId: string
}

export interface SavedCase {
  remoteId: string
  /** URL for people. */
  url: string
}

/** A type of external system with the settings to connect to it. */
export interface CrmType {
  readonly type: string
  readonly title: string
  /** Names; those in `secrets` are never returned. */
  readonly settings: readonly string[]
  readonly secrets: readonly string[]
  /** Required to connect. */
  readonly required: readonly string[]
  /** Defaults. */
  readonly standard: Facts
  open(connection: CrmConnection): Crm
}

export interface CrmConnection {
  outbound: Outbound
  /** Stable while the settings are unchanged. */
  key: string
  settings: Facts
  secret: Facts
}

/** `signIn`: credentials rejected; `absent`: not found; `refused`: rejected; `later`: temporary. */
export type CrmFaultKind = 'signIn' | 'absent' | 'refused' | 'later'

/** A failed request to an external system; the message can be shown to users. */
export class CrmFault extends Error {
  override name = 'CrmFault'
  readonly kind: CrmFaultKind
  /** Seconds until a retry, if reported. */
  readonly retryAfter: number | undefined

  constructor(
    kind: CrmFaultKind,
    message: string,
    { retryAfter, cause }: { retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.kind = kind
    this.retryAfter = retryAfter
  }
}

interface CrmCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Starts with a slash; untrusted parts are percent-encoded. */
  path: string
  query?: { readonly [name: string]: string }
  headers?: { readonly [name: string]: string }
  json?: unknown
  form?: { readonly [name: string]: string }
}

export type CrmHttp = (call: CrmCall) => Promise<unknown>

/** Extracts the error message of a system, and a fault that overrides the status. */
export type CrmErrorReader = (
  body: unknown,
  status: number,
) => { message?: string | undefined; kind?: CrmFaultKind | undefined }

const maximumBytes = 1024 * 1024
const timeoutMs = 20_000
const maximumMessageLength = 300

/** HTTP client of external systems: one base URL, explicit faults, no redirects, no retries. Returns JSON. */
export function openCrmHttp(outbound: Outbound, title: string, baseUrl: string, readError: CrmErrorReader): CrmHttp {
  return async ({ method, path, query, headers, json, form }) => {
    const request = query ? `?${new URLSearchParams(query)}` : ''
    const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json)
    const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
    const response = await outbound
      .send({
        method,
        url: `${baseUrl.replace(/\/$/, '')}${path}${request}`,
        timeoutMs,
        maximumBytes,
        headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': type }), ...headers },
        ...(body !== undefined && { body }),
      })
      .catch((error: unknown) => {
        if (!(error instanceof OutboundFailure)) throw error
        const kind = error.kind === 'refused-address' ? 'refused' : 'later'
        throw new CrmFault(kind, `${title} cannot be reached. ${error.message}`, { cause: error })
      })
    const parsed = readJson(response.body.toString('utf8'))
    if (response.status < 300 && (parsed !== undefined || response.body.length === 0) && !response.truncated)
      return parsed ?? {}
    if (response.status < 300) throw new CrmFault('later', `${title} answered something that cannot be read.`)
    const reported = readError(parsed, response.status)
    const message = (reported.message ?? '').replace(/\s+/g, ' ').slice(0, maximumMessageLength)
    throw new CrmFault(
      reported.kind ?? kindOf(response.status),
      `${title}: ${message || `it answered ${response.status}.`}`,
      {
        retryAfter: secondsIn(response.headers['retry-after']),
      },
    )
  }
}

function kindOf(status: number): CrmFaultKind {
  if (status === 401) return 'signIn'
  if (status === 404 || status === 410) return 'absent'
  return status === 408 || status === 425 || status === 429 || status >= 500 ? 'later' : 'refused'
}

const secondsIn = (text = '') => (/^\d{1,6}$/.test(text) ? Number(text) : undefined)

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** String at a path of a response; empty if missing or too long. */
export function textAt(value: unknown, ...path: (string | number)[]): string {
  let at = value
  for (const name of path)
    at = typeof at === 'object' && at !== null ? (at as Record<string | number, unknown>)[name] : undefined
  const text = typeof at === 'number' ? String(at) : at
  return typeof text === 'string' && text.length <= 1_000 ? text.replaceAll('\0', '') : ''
}

/** The response as an object. */
export const objectIn = (value: unknown): object => (typeof value === 'object' && value !== null ? value : { value })

/** Cached access tokens. */
const tokens = new Map<string, { token: string; until: number }>()
const maximumTokens = 1_000
const cachedFor = 10 * 60 * 1000

/** Sends requests with a cached token; a rejected one is renewed once. */
export function signedIn(http: CrmHttp, key: string, getToken: () => Promise<string>): CrmHttp {
  const tokenOf = async () => {
    const cached = tokens.get(key)
    if (cached && cached.until > performance.now()) return cached.token
    const token = await getToken()
    if (tokens.size >= maximumTokens) tokens.clear()
    tokens.set(key, { token, until: performance.now() + cachedFor })
    return token
  }
  const send = async (call: CrmCall) =>
    http({ ...call, headers: { ...call.headers, authorization: `Bearer ${await tokenOf()}` } })
  return async (call) => {
    const wasCached = tokens.has(key)
    try {
      return await send(call)
    } catch (error) {
      if (!(error instanceof CrmFault) || error.kind !== 'signIn') throw error
      tokens.delete(key)
      if (!wasCached) throw error
      return send(call)
    }
  }
}
