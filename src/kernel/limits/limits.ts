// Placeholder until the real one lands; overwrite freely.
export interface LimitRules {
  second: number
  fiveSeconds: number
  day: number
  blockSeconds: number
}
export interface Standing {
  admitted: boolean
  reason?: 'second' | 'fiveSeconds' | 'day' | 'block'
  remaining: number
  resetSeconds: number
  retryAfter?: number
}
export interface Limits {
  admit(accountId: string, userId: string): Standing | Promise<Standing>
  policy: string
  close(): Promise<void>
}
export async function openLimits(_options: unknown): Promise<Limits> {
  throw new Error('not yet')
}
