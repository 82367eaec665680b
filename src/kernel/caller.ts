/** How somebody proved who they are: with an API key or a session, and with which. */
export interface Via {
  readonly by: 'key' | 'session'
  readonly id: string
}

/** Where a call comes from, as far as it can be believed. */
export interface Visitor {
  readonly address: string
  /** What their program calls itself. */
  readonly agent: string
}
