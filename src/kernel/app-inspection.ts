/** How the installation's app at a network is set up. None of it is secret: a verify token is made to be entered at the network. */
export interface AppFacts {
  hasApp: boolean
  /** The demo's sandbox stands in for the network. */
  isSandbox: boolean
  /** Settings without a value, and what that means. */
  missing: readonly { setting: string; means: string }[]
  apiVersion: string
  /** What logins ask for. */
  scopes: readonly string[]
  /** Whether an operator set those scopes one by one. */
  hasOwnScopes: boolean
  verifyToken?: string | undefined
  webhookFields: readonly string[]
}

/** One thing that was checked, and the outcome in a sentence. */
export interface Finding {
  what: string
  outcome: 'ok' | 'problem' | 'unknown'
  text: string
}

/** Tells how apps at networks are set up, and checks them. The kernel only hands it on to whoever may wait for networks. */
export interface AppInspection {
  /** The service's address as the operator set it; nothing without one. */
  readonly publicUrl: string | undefined
  /** Whether an account's admins may see verify tokens: they belong to the installation, so only where it has one account. */
  showsVerifyTokens(): Promise<boolean>
  facts(network: string): AppFacts
  /** Asks a network about the app, and about the profiles of an account. */
  check(accountId: string, network: string): Promise<readonly Finding[]>
}
