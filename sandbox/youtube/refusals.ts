import { type Answer, type Call, type FaultAnswers, json, Refusal } from '../http/call.ts'

const names: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  503: 'UNAVAILABLE',
}

/** An error in Google's form; `reason` is what a program goes by. */
export function problem(code: number, reason: string, message: string, domain = 'youtube.api'): Answer {
  const errors = [{ message, domain, reason }]
  return json({ error: { code, message, errors, status: names[code] ?? 'INTERNAL' } }, code)
}

export function refuse(code: number, reason: string, message: string, domain?: string): never {
  throw new Refusal(problem(code, reason, message, domain))
}

export const unauthorized = problem(401, 'authError', 'Request had invalid authentication credentials.', 'global')

export const invalidGrant = json(
  { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
  400,
)

function tokenProblem(call: Call): Answer {
  return call.operation === 'token' ? invalidGrant : unauthorized
}

export const youtubeAnswers: FaultAnswers = {
  rateLimit: () =>
    problem(403, 'quotaExceeded', 'The request cannot be completed because the quota is used up.', 'youtube.quota'),
  serverError: () => problem(503, 'backendError', 'Backend Error', 'global'),
  tokenExpired: tokenProblem,
  tokenRevoked: tokenProblem,
  duplicate: () => problem(409, 'duplicate', 'The same content is there already.'),
  notReady: () => problem(409, 'processingFailure', 'The video is still being processed.'),
  unknownPath: (call) => problem(404, 'notFound', `Nothing under ${call.path}`, 'global'),
}
