/** Configuration of the installation's app at a network. None of it is secret: a verify token is meant to be entered at the network. */
export interface AppFacts {
  hasApp: boolean
  /** Set in the demo, where the sandbox emulates the network. */
  isSandbox: boolean
  /** Settings without a value, and the consequence of each. */
  missing: readonly { setting: string; means: string }[]
  apiVersion: string
  /** OAuth scopes that logins request. */
  scopes: readonly string[]
  /** Whether an operator configured the scopes explicitly. */
  hasOwnScopes: boolean
  verifyToken?: string | undefined
  webhookFields: readonly string[]
}

/** One check and its result as a sentence. */
export interface Finding {
  what: string
  outcome: 'ok' | 'problem' | 'unknown'
  text: string
}

/** Reports and checks the configuration of network apps. The kernel only passes it to code that may await external services. */
export interface AppInspection {
  /** Public URL of the service as the operator configured it. */
  readonly publicUrl: string | undefined
  /** Whether account admins may see verify tokens. Tokens belong to the installation, so only if it has a single account. */
  showsVerifyTokens(): Promise<boolean>
  facts(network: string): AppFacts
  /** Queries the network about the app and about the profiles of an account. */
  check(accountId: string, network: string): Promise<readonly Finding[]>
}
