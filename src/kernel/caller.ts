/** How somebody proved who they are: with an API key, a session, the password or the link that begins one, or by being at the machine itself. */
export const ways = ['key', 'session', 'password', 'link', 'operator'] as const

export interface Via {
  readonly by: (typeof ways)[number]
  /** Which key or session; empty for the others. */
  readonly id: string
}

/** Where a call comes from, as far as it can be believed. */
export interface Visitor {
  readonly address: string
  /** What their program calls itself. */
  readonly agent: string
}
