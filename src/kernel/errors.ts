export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'wrongMethod'
  | 'tooLarge'
  | 'late'
  | 'conflict'
  | 'changed'
  | 'limited'
  | 'unsatisfiable'
  | 'unexpected'
  | 'misdirected'
  | 'unavailable'

/** The HTTP status code of each kind; used by kernel/http and, to read them back, by the console. */
export const statusCodes: Readonly<Record<RefusalKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  missing: 404,
  wrongMethod: 405,
  late: 408,
  conflict: 409,
  changed: 412,
  tooLarge: 413,
  unsatisfiable: 416,
  unexpected: 417,
  misdirected: 421,
  limited: 429,
  unavailable: 503,
}

/** An error response with a message the caller can act on. Only kernel/http maps its kind to a status code. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly kind: RefusalKind
  /** Seconds after which the same call may succeed. */
  readonly retryAfter: number | undefined
  /** Additional messages of the contract, by category. */
  readonly beside: Categories | undefined
  /** Set where the contract returns a list of messages instead of categories. */
  readonly isListed: boolean

  constructor(kind: RefusalKind, message: string, options: RefusalOptions = {}) {
    super(message, { cause: options.cause })
    this.kind = kind
    this.retryAfter = options.retryAfter
    this.beside = options.beside
    this.isListed = options.isListed ?? false
  }
}

interface RefusalOptions {
  retryAfter?: number
  cause?: unknown
  beside?: Categories
  isListed?: boolean
}

/** `{ Param: { get: '…' } }` */
export type Categories = { readonly [category: string]: { readonly [name: string]: string } }

export const invalid = (message: string) => new Refusal('invalid', message)
export const forbidden = (message: string) => new Refusal('forbidden', message)
export const conflict = (message: string) => new Refusal('conflict', message)

/** The single message for objects that don't exist, belong to another account, or are not visible to the user's teams. */
export const missing = (noun: string) => new Refusal('missing', `${noun} not found.`)
