import { type Answer, type Call, type FaultAnswers, json, Refusal } from '../http/call.ts'
import { secret } from '../state/ids.ts'

interface GraphProblem {
  code: number
  subcode?: number
  message: string
  type?: string
  status?: number
  transient?: boolean
  userMessage?: string
  /** What a program needs to go on. */
  details?: Record<string, unknown>
}

/** An error in the envelope of the Graph API, with HTTP 400 unless said otherwise. */
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
  throw new Refusal(graphProblem(problem))
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

function throttled(): Answer {
  return graphProblem({ code: 32, message: '(#32) Page request limit reached', type: 'OAuthException' })
}

/** What both of Meta's networks answer to planned faults. */
export const graphAnswers: Omit<FaultAnswers, 'duplicate' | 'notReady' | 'rateLimit'> = {
  serverError: () =>
    graphProblem({ code: 2, message: 'An unexpected error has occurred. Please retry.', status: 500, transient: true }),
  tokenExpired: () => graphProblem(tokenProblems.expired),
  tokenRevoked: () => graphProblem(tokenProblems.revoked),
  unknownPath: (call: Call) =>
    graphProblem({ code: 2500, message: `Unknown path components: ${call.path}`, type: 'OAuthException' }),
}

export function pageThrottled(call: Call, profile: string): Answer {
  const used = { call_count: 100, total_time: 100, total_cputime: 100 }
  const regain = [{ type: 'pages', ...used, estimated_time_to_regain_access: 5 }]
  call.answerHeaders['x-app-usage'] = JSON.stringify(used)
  call.answerHeaders['x-business-use-case-usage'] = JSON.stringify({ [profile]: regain })
  return throttled()
}
