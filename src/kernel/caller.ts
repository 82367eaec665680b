/** How a caller authenticated: API key, session, the password or link that starts a session, or access to the machine itself. */
export const ways = ['key', 'session', 'password', 'link', 'operator'] as const

export interface Via {
  readonly by: (typeof ways)[number]
  /** Id of the key or session; empty for the others. */
  readonly id: string
}

/** Origin of a call, as far as it can be trusted. */
export interface Visitor {
  readonly address: string
  /** User agent. */
  readonly agent: string
}
