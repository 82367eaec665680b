import { type ApiRequest, numberOf, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, json } from '../http/response.ts'
import type { FaultResponses } from '../http/router.ts'
import { secret } from '../state/ids.ts'

/** One page of a list with Graph API cursors; a cursor encodes the id of an item. */
export function listResponse<Row extends { id: string }>(
  request: ApiRequest,
  rows: Row[],
  shape: (row: Row) => unknown,
  defaults: string,
  summary?: Record<string, unknown>,
): ApiResponse {
  const after = textOf(request, 'after')
  const size = Math.min(numberOf(request, 'limit') ?? 25, 100)
  const behind = after === undefined ? -1 : rows.findIndex(({ id }) => cursorOf(id) === after)
  const part = rows.slice(behind + 1, behind + 1 + size)
  const first = part[0]
  const last = part.at(-1)
  const fields = parseFields(textOf(request, 'fields') ?? defaults)
  return json({
    data: part.map((row) => select(shape(row), fields)),
    ...(first && last ? { paging: paging(request, first.id, last.id, last !== rows.at(-1)) } : {}),
    ...(summary ? { summary } : {}),
  })
}

/** One node with the requested fields. */
export function nodeResponse(request: ApiRequest, value: unknown, defaults: string): ApiResponse {
  return json(select(value, parseFields(textOf(request, 'fields') ?? defaults)))
}

export function timeOf(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, '+0000')
}

function paging(request: ApiRequest, first: string, last: string, more: boolean) {
  const cursors = { before: cursorOf(first), after: cursorOf(last) }
  if (!more) return { cursors }
  const next = new URL(request.origin + request.path)
  for (const [name, value] of request.query) next.searchParams.set(name, value)
  next.searchParams.set('after', cursors.after)
  return { cursors, next: next.href }
}

function cursorOf(id: string): string {
  return Buffer.from(id).toString('base64url')
}

/** Requested fields by name, each with its nested fields. */
export type Selection = Map<string, Selection>

/** Parses `id,comments.limit(5).summary(true){id,from},message`; modifiers are ignored. */
export function parseFields(text: string): Selection {
  const reader = { text, at: 0 }
  return readList(reader)
}

/** The requested fields of an object, always including its id. */
export function select(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((element) => select(element, selection))
  if (value === null || typeof value !== 'object') return value
  const source = value as Record<string, unknown>
  // Lists and pictures are wrapped in `data`.
  if (typeof source.data === 'object') return { ...source, data: select(source.data, selection) }
  const chosen: Record<string, unknown> = {}
  for (const [name, inner] of selection) {
    if (source[name] !== undefined) chosen[name] = inner.size ? select(source[name], inner) : source[name]
  }
  if (source.id !== undefined) chosen.id = source.id
  return chosen
}

function readList(reader: { text: string; at: number }): Selection {
  const selection: Selection = new Map()
  while (reader.at < reader.text.length && reader.text[reader.at] !== '}') {
    const name = readUntil(reader, /[,{}.(]/)
    let inner: Selection = new Map()
    while (reader.text[reader.at] === '.' || reader.text[reader.at] === '(') skipModifier(reader)
    if (reader.text[reader.at] === '{') {
      reader.at++
      inner = readList(reader)
      reader.at++
    }
    if (name.trim()) selection.set(name.trim(), inner)
    if (reader.text[reader.at] === ',') reader.at++
  }
  return selection
}

function skipModifier(reader: { text: string; at: number }) {
  if (reader.text[reader.at] === '.') {
    reader.at++
    readUntil(reader, /[,{}.(]/)
  }
  if (reader.text[reader.at] === '(') {
    const end = reader.text.indexOf(')', reader.at)
    reader.at = end < 0 ? reader.text.length : end + 1
  }
}

function readUntil(reader: { text: string; at: number }, stop: RegExp): string {
  const from = reader.at
  while (reader.at < reader.text.length && !stop.test(reader.text[reader.at] ?? '')) reader.at++
  return reader.text.slice(from, reader.at)
}

interface GraphProblem {
  code: number
  subcode?: number
  message: string
  type?: string
  status?: number
  transient?: boolean
  userMessage?: string
  /** Machine-readable details. */
  details?: Record<string, unknown>
}

/** An error in the format of the Graph API, HTTP 400 by default. */
export function graphProblem(problem: GraphProblem) {
  const { code, subcode, message, type, status = 400, transient, userMessage, details } = problem
  return json(
    {
      error: {
        message,
        type: type ?? (code === 190 || code === 104 ? 'OAuthException' : 'GraphMethodException'),
        code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        ...(transient === undefined ? {} : { is_transient: transient }),
        ...(userMessage === undefined ? {} : { error_user_title: 'Not possible', error_user_msg: userMessage }),
        ...(details === undefined ? {} : { error_data: details }),
        fbtrace_id: secret('A').slice(0, 23),
      },
    },
    status,
  )
}

export function refuse(problem: GraphProblem): never {
  throw new ApiError(graphProblem(problem))
}

export function badParameter(message: string): never {
  refuse({ code: 100, message: `(#100) ${message}`, type: 'OAuthException' })
}

export function unknownObject(id: string): never {
  refuse({
    code: 100,
    subcode: 33,
    message: `Unsupported request. Object with ID '${id}' does not exist, or this token does not reach it.`,
  })
}

export const tokenProblems = {
  invalid: { code: 190, message: 'Invalid OAuth access token - Cannot parse access token' },
  expired: { code: 190, subcode: 463, message: 'Error validating access token: Session has expired.' },
  revoked: { code: 190, subcode: 458, message: 'Error validating access token: The user has not authorized the app.' },
  password: { code: 190, subcode: 460, message: 'Error validating access token: The password was changed.' },
  rotated: { code: 190, subcode: 467, message: 'Error validating access token: The token is invalid.' },
} satisfies Record<string, GraphProblem>

function pageLimitReached(): ApiResponse {
  return graphProblem({ code: 32, message: '(#32) Page request limit reached', type: 'OAuthException' })
}

/** Responses to planned faults, shared by Facebook and Instagram. */
export const graphFaultResponses: Omit<FaultResponses, 'duplicate' | 'notReady' | 'rateLimit'> = {
  serverError: () =>
    graphProblem({ code: 2, message: 'An unexpected error has occurred. Please retry.', status: 500, transient: true }),
  tokenExpired: () => graphProblem(tokenProblems.expired),
  tokenRevoked: () => graphProblem(tokenProblems.revoked),
  unknownPath: (request: ApiRequest) =>
    graphProblem({ code: 2500, message: `Unknown path components: ${request.path}`, type: 'OAuthException' }),
}

export function pageThrottled(request: ApiRequest, profile: string): ApiResponse {
  const used = { call_count: 100, total_time: 100, total_cputime: 100 }
  const regain = [{ type: 'pages', ...used, estimated_time_to_regain_access: 5 }]
  request.responseHeaders['x-app-usage'] = JSON.stringify(used)
  request.responseHeaders['x-business-use-case-usage'] = JSON.stringify({ [profile]: regain })
  return pageLimitReached()
}
