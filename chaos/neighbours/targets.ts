/** What an attack can do harm with; plain values, because it is told to another process. */
export interface Targets {
  url: string
  /** Authorization headers of the users of one account. */
  users: readonly string[]
  campaignId: string
  /** A profile at X. */
  credentialId: string
  link: { id: string; url: string }
}

export const attackNames = ['hung', 'drips', 'bombs', 'bodies', 'tags', 'texts', 'webhooks', 'reads'] as const

/** Beside those of an account that mean harm: `anonymous` comes from nobody, `large` from an account that has much and asks for all of it. */
export type AttackName = (typeof attackNames)[number] | 'anonymous' | 'large'

/** What the harness tells the attacking process. */
export interface AttackOrder {
  names: readonly AttackName[]
  targets: Targets
  seed: number
}

/** Per attack, how often something was `asked`, and how often each answer came: a status, `timeout`, or `cut` for a connection that ended. */
export type AnswerCounts = { [name in AttackName]?: { [answer: string]: number } }
