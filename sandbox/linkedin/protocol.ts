import { ApiError, json } from '../http/response.ts'
import { decodeSegment, type FaultResponses } from '../http/router.ts'
import type { Profile } from '../state/rows.ts'

export function urnOf({ kind, id }: Pick<Profile, 'kind' | 'id'>): string {
  return kind === 'member' ? `urn:li:person:${id}` : `urn:li:organization:${id}`
}

/** The last part of a URN, or the whole text if it is not a URN. */
export function idOf(urn: string): string {
  return urn.split(':').at(-1) ?? urn
}

/** Parses `List(a,b)`; commas inside parentheses belong to the element. */
export function parseList(text: string | undefined): string[] {
  const inner = /^List\((.*)\)$/s.exec(text ?? '')?.[1]
  if (inner === undefined) return text ? [text] : []
  const elements: string[] = []
  let depth = 0
  let from = 0
  for (const [at, character] of [...inner].entries()) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) {
      elements.push(inner.slice(from, at))
      from = at + 1
    }
  }
  return [...elements, inner.slice(from)].map((element) => decodeSegment(element.trim())).filter(Boolean)
}

/** A time range such as `(timeRange:(start:1,end:2),…)`. */
export function parseTimeRange(text: string | undefined): { start?: number; end?: number } {
  const start = /start:(\d+)/.exec(text ?? '')?.[1]
  const end = /end:(\d+)/.exec(text ?? '')?.[1]
  return { ...(start ? { start: Number(start) } : {}), ...(end ? { end: Number(end) } : {}) }
}

/** An error in LinkedIn's format. */
function problem(status: number, code: string, message: string, serviceErrorCode?: number) {
  return json({ status, code, message, ...(serviceErrorCode === undefined ? {} : { serviceErrorCode }) }, status)
}

export function refuse(status: number, code: string, message: string, serviceErrorCode?: number): never {
  throw new ApiError(problem(status, code, message, serviceErrorCode))
}

/** Rejects a field by its path. */
export function badField(path: string, code: string, description: string, status = 422): never {
  throw new ApiError(fieldProblem(path, code, description, status))
}

export function notFound(what: string): never {
  refuse(404, 'NOT_FOUND', `Could not find ${what}`)
}

export function duplicateOf(urn: string) {
  return fieldProblem('/commentary', 'DUPLICATE_POST', `Content is a duplicate of ${urn}`, 422)
}

export const tokenProblems = {
  invalid: problem(401, 'INVALID_ACCESS_TOKEN', 'Invalid access token', 65600),
  expired: problem(401, 'EXPIRED_ACCESS_TOKEN', 'The token used in the request has expired', 65602),
  revoked: problem(401, 'REVOKED_ACCESS_TOKEN', 'The token used in the request has been revoked by the user', 65601),
}

export const invalidGrant = json(
  { error: 'invalid_grant', error_description: 'The refresh token is invalid, expired or revoked' },
  400,
)

export const linkedinFaultResponses: FaultResponses = {
  rateLimit: () =>
    problem(429, 'TOO_MANY_REQUESTS', 'Resource level throttle limit for calls to this resource is reached.', 101),
  serverError: () => problem(500, 'INTERNAL_SERVER_ERROR', 'Internal Server Error'),
  tokenExpired: (request) => (request.operation === 'token' ? invalidGrant : tokenProblems.expired),
  tokenRevoked: (request) => (request.operation === 'token' ? invalidGrant : tokenProblems.revoked),
  duplicate: () => duplicateOf('urn:li:share:7000000000000000000'),
  notReady: () =>
    fieldProblem('/content/media/id', 'MEDIA_ASSET_PROCESSING', 'The media asset is still being processed', 400),
  unknownPath: (request) => problem(404, 'RESOURCE_NOT_FOUND', `No virtual resource found for ${request.path}`),
}

function fieldProblem(path: string, code: string, description: string, status: number) {
  const inputErrors = [{ description, input: { inputPath: { fieldPath: path } }, code }]
  return json(
    {
      message: description,
      errorDetailType: 'com.linkedin.common.error.BadRequest',
      errorDetails: { inputErrors },
      status,
    },
    status,
  )
}
