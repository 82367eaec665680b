export const networks = ['Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok'] as const
export type Network = (typeof networks)[number]

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json | undefined }

/** A user of a network, who owns profiles. */
export interface Account {
  network: Network
  id: string
  name: string
  username: string
  email: string
}

export interface Profile {
  network: Network
  id: string
  kind: 'page' | 'member' | 'channel' | 'account'
  name: string
  username: string
  /** The owner. */
  account: string
  followers: number
  /** The access tier of the owner: `self-serve` or `enterprise` on X. */
  tier: string
  createdAt: number
  /** The Facebook page linked to an Instagram account. */
  page?: string
  /** The business portfolio that grants access to a Facebook page, and whether as owner or for a client. */
  business?: string
  access?: 'owned' | 'client'
  /** Tasks of the account on a Facebook page; all if undefined. */
  tasks?: string[]
  /** Role of the account on a LinkedIn page; administrator if undefined. */
  role?: string
}

export interface Person {
  id: string
  name: string
  username?: string
  email?: string
}

export interface Link {
  url: string
  title?: string
  description?: string
  image?: string
}

export type ItemKind = 'post' | 'comment' | 'reply' | 'mention' | 'message' | 'like' | 'share'

/** A post, comment, message or like. */
export interface Item {
  network: Network
  id: string
  /** A second id of the item, such as LinkedIn's activity URN. */
  alias?: string
  kind: ItemKind
  profile: string
  from: Person
  /** The recipient of a message. */
  to?: Person
  /** Created by the profile; through the API unless `extra.byHand` is set. */
  own: boolean
  postId?: string
  parentId?: string
  threadId?: string
  text: string
  title?: string
  link?: Link
  media: string[]
  at: number
  updatedAt?: number
  removedAt?: number
  hidden?: boolean
  /** Network-specific values. */
  extra?: { [name: string]: Json | undefined }
}

export interface Thread {
  network: Network
  id: string
  profile: string
  person: Person
}

export interface Media {
  network: Network
  id: string
  profile: string
  mime: string
  bytes: number
  sha256: string
  width?: number
  height?: number
  seconds?: number
  alt?: string
  title?: string
  readyAt: number
  failed?: string
}

/** A webhook subscription. */
export interface Subscription {
  network: Network
  id: string
  /** `app` has the callback URL, `profile` enables it for one profile, `both` is a callback for one profile. */
  level: 'app' | 'profile' | 'both'
  profile?: string
  callback?: string
  secret?: string
  fields: string[]
  expiresAt?: number
  extra?: { [name: string]: Json | undefined }
}

/** A domain or URL prefix that TikTok downloads media from after its ownership is verified. */
export interface UrlProperty {
  url: string
  kind: 'domain' | 'prefix'
  verified: boolean
  signature: string
}

/** Instagram media containers: created first, published once. */
export interface Container {
  id: string
  profile: string
  text: string
  media: string[]
  isItem: boolean
  createdAt: number
  readyAt: number
  problem?: string
  publishedAs?: string
}

export type GrantKind = 'user' | 'page' | 'app'

/** An access token with its scopes. */
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
  endReason?: 'expired' | 'revoked' | 'password' | 'rotated'
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

/** A file being uploaded in parts. */
export interface Upload {
  id: string
  network: Network
  profile: string
  mime?: string
  size?: number
  /** By offset or segment number, depending on the network. */
  parts: Map<number, Buffer>
  extra: { [name: string]: Json | undefined }
}

export const crmKinds = ['leads', 'contacts', 'cases'] as const
export type CrmKind = (typeof crmKinds)[number]

export interface CrmRecord {
  kind: CrmKind
  id: string
  /** External key of a case, unique. */
  key?: string
  fields: { [name: string]: Json }
  createdAt: string
  changedAt: string
  /** Number of writes, including the creation. */
  saves: number
}
