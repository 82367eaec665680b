import type { Network } from './rows.ts'

export type GrantKind = 'user' | 'page' | 'app'

/** An access token and what it opens. */
export interface Grant {
  token: string
  network: Network
  kind: GrantKind
  app: string
  account: string
  profile?: string
  scopes: string[]
  issuedAt: number
  expiresAt?: number
  refreshToken?: string
  refreshExpiresAt?: number
  longLived?: boolean
  death?: 'expired' | 'revoked' | 'password' | 'rotated'
}

export interface Code {
  code: string
  network: Network
  app: string
  account: string
  redirectUri: string
  scopes: string[]
  challenge?: string
  challengeMethod?: string
  expiresAt: number
  used: boolean
}
