import type { Network } from '../manifests.ts'
import type { ProfileKind } from './manifest.ts'

/** What opens a profile. Tokens without an end have no date. */
export interface Secret {
  accessToken: string
  refreshToken?: string | undefined
  expiresAt?: Date | undefined
  refreshExpiresAt?: Date | undefined
  scopes: string[]
  /** The Facebook page whose token this is, where an Instagram account is reached through one. */
  pageId?: string | undefined
}

/** What a network says of a token that it gave out. */
export interface TokenFacts {
  isValid: boolean
  /** What the owner allowed; nothing where the network does not say. */
  scopes?: readonly string[] | undefined
  /** Why it is not valid, in the network's words. */
  reason?: string | undefined
}

/** The profile in whose name a call is made. */
export interface Actor {
  network: Network
  kind: ProfileKind
  /** The id on the network. */
  remoteId: string
  username: string
  /** What the network lets its owner do, where that changes what is possible: the plan of an account on X, the role for a page on LinkedIn. */
  tier?: string | undefined
  secret: Secret
}

/** A profile that a login has opened; one login may open several. */
export interface Grant extends Actor {
  name: string
  picture?: string | undefined
  /** The member whose rights a page is used with. */
  parentRemoteId?: string | undefined
}
