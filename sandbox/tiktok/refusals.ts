import { type Answer, type Call, type FaultAnswers, json, Refusal } from '../http/call.ts'
import { secret } from '../state/ids.ts'

const businessBase = '/tiktok/open_api/'
const isBusiness = (call: Call) => call.path.startsWith(businessBase)

/** The developer API speaks in HTTP statuses and words. */
export function developerProblem(status: number, code: string, message: string): Answer {
  return json({ data: {}, error: { code, message, log_id: secret('2026') } }, status)
}

/** The business API answers 200 to everything and puts a number inside. */
export function businessProblem(code: number, message: string): Answer {
  return json({ code, message, request_id: secret('2026'), data: {} })
}

export function refuseDeveloper(status: number, code: string, message: string): never {
  throw new Refusal(developerProblem(status, code, message))
}

export function refuseBusiness(code: number, message: string): never {
  throw new Refusal(businessProblem(code, message))
}

export function developerAnswer(data: unknown): Answer {
  return json({ data, error: { code: 'ok', message: '', log_id: secret('2026') } })
}

export function businessAnswer(data: unknown): Answer {
  return json({ code: 0, message: 'OK', request_id: secret('2026'), data })
}

/** Each fault twice: as the one API says it, and as the other. */
function either(status: number, word: string, number: number, message: string) {
  return (call: Call) => (isBusiness(call) ? businessProblem(number, message) : developerProblem(status, word, message))
}

export function refreshRefused(call: Call): Answer {
  if (isBusiness(call)) return businessProblem(40107, 'The refresh token is not valid.')
  const error_description = 'Refresh token is invalid or expired.'
  return json({ error: 'invalid_grant', error_description, log_id: 'sandbox' }, 400)
}

export const tiktokAnswers: FaultAnswers = {
  rateLimit: either(429, 'rate_limit_exceeded', 40100, 'Too many requests: the qpm limit is reached.'),
  serverError: either(500, 'internal_error', 50000, 'Internal error. Please retry later.'),
  tokenExpired: (call) =>
    call.operation === 'token'
      ? refreshRefused(call)
      : either(401, 'access_token_invalid', 40102, 'The access token has expired.')(call),
  tokenRevoked: (call) =>
    call.operation === 'token'
      ? refreshRefused(call)
      : either(401, 'access_token_invalid', 40105, 'The access token is not valid.')(call),
  duplicate: either(403, 'spam_risk', 40050, 'Duplicated request.'),
  notReady: either(403, 'spam_risk_too_many_pending_share', 51065, 'The video is still being processed.'),
  unknownPath: either(404, 'invalid_params', 40002, 'Unsupported path.'),
}
