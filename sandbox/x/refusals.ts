import { type Answer, type Call, type FaultAnswers, json, Refusal } from '../http/call.ts'

const types = 'https://api.x.com/2/problems/'
const duplicateText = 'You are not allowed to create a Tweet with duplicate content.'

/** A problem in X's form; `about:blank` is what X writes when it has no name for it. */
export function problem(status: number, title: string, detail: string, type?: string): Answer {
  const value = { title, detail, type: type === undefined ? 'about:blank' : `${types}${type}`, status }
  return json(value, status, { 'content-type': 'application/problem+json' })
}

export function refuse(status: number, title: string, detail: string, type?: string): never {
  throw new Refusal(problem(status, title, detail, type))
}

export function badRequest(message: string, parameters: Record<string, unknown> = {}): never {
  const errors = [{ parameters, message }]
  const title = 'Invalid Request'
  const detail = 'One or more parameters to your request was invalid.'
  throw new Refusal(json({ errors, title, detail, type: `${types}invalid-request` }, 400))
}

export function notFound(what: string, value: string): never {
  refuse(404, 'Not Found Error', `Could not find ${what} with id: [${value}].`, 'resource-not-found')
}

export const unauthorized = problem(401, 'Unauthorized', 'Unauthorized')

export const invalidToken = json(
  { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' },
  400,
)

function tokenProblem(call: Call): Answer {
  return call.operation === 'token' ? invalidToken : unauthorized
}

export const twitterAnswers: FaultAnswers = {
  rateLimit: (call) => {
    call.answerHeaders['x-rate-limit-remaining'] = '0'
    return problem(429, 'Too Many Requests', 'Too Many Requests')
  },
  serverError: () => problem(503, 'Service Unavailable', 'Service Unavailable'),
  tokenExpired: tokenProblem,
  tokenRevoked: tokenProblem,
  duplicate: () => problem(403, 'Forbidden', duplicateText),
  notReady: () =>
    json(
      {
        errors: [{ message: 'Your media IDs are invalid.' }],
        title: 'Invalid Request',
        type: `${types}invalid-request`,
      },
      400,
    ),
  unknownPath: (call) => problem(404, 'Not Found', `Nothing under ${call.path}`, 'resource-not-found'),
}
