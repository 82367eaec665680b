import type { RefusalKind } from '../../errors.ts'

/** How each kind of refusal is numbered on the wire. The console reads the numbers back, so nothing of Node is needed here. */
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
