export const networks = ['Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok'] as const
export type Network = (typeof networks)[number]

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json | undefined }

/** Somebody who logs in on a network; owns profiles there. */
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
  /** The account that may act for it. */
  account: string
  followers: number
  /** What the network lets the owner do: `self-serve` or `enterprise` on X. */
  tier: string
  createdAt: number
  /** The Facebook page behind an Instagram account. */
  page?: string
  /** The business portfolio through which alone the account reaches a Facebook page, and whether it owns the page or works for a client. */
  business?: string
  access?: 'owned' | 'client'
  /** What the account may do on a Facebook page; everything unless said. */
  tasks?: string[]
  /** What the account may do for a LinkedIn page; its administrator unless told. */
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

/** Anything that stands on a timeline or in an inbox. */
export interface Item {
  network: Network
  id: string
  /** A second name of the same thing: LinkedIn's activity URN. */
  alias?: string
  kind: ItemKind
  profile: string
  from: Person
  /** The other side of a message. */
  to?: Person
  /** Made by the profile through the network's API; these are the ledger. */
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
  /** What only one network knows of it. */
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

/** Where a network's pushes go, and for whom. */
export interface Subscription {
  network: Network
  id: string
  /** `app` holds the address, `profile` switches it on for one profile, `both` is an address for one profile. */
  level: 'app' | 'profile' | 'both'
  profile?: string
  callback?: string
  secret?: string
  fields: string[]
  expiresAt?: number
  extra?: { [name: string]: Json | undefined }
}

/** A domain or a URL prefix that TikTok fetches media from once its ownership is verified. */
export interface UrlProperty {
  url: string
  kind: 'domain' | 'prefix'
  verified: boolean
  signature: string
}

/** Instagram's half-made posts: filled first, published once. */
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

/** A file on its way in, in parts. */
export interface Upload {
  id: string
  network: Network
  profile: string
  mime?: string
  size?: number
  /** By offset or by segment number, whichever the network counts in. */
  parts: Map<number, Buffer>
  extra: { [name: string]: Json | undefined }
}

export const crmKinds = ['leads', 'contacts', 'cases'] as const
export type CrmKind = (typeof crmKinds)[number]

/** A person or a case. */
export interface CrmRecord {
  kind: CrmKind
  id: string
  /** What whoever made a case calls it; one case each. */
  key?: string
  fields: { [name: string]: Json }
  createdAt: string
  changedAt: string
  /** How often it was written: once when it was made. */
  saves: number
}
