import type { Capabilities, ContentRules, Limits } from '../content/content.ts'

/** Static description of a network, from which settings, documentation, checks and tests are derived. */
export interface NetworkManifest<Network extends string = string, Code extends string = string> extends ContentRules {
  /** As spelled in the API contract. */
  network: Network
  /** Name of its folder and of its sandbox, and prefix of its settings. */
  code: Code
  /** Position in the contract's list; part of some profile ids, so it never changes. */
  number: number
  /** Alternative spellings accepted from callers. */
  spellings?: readonly string[]
  /** Kinds of profiles a login opens, the usual one first. */
  profileKinds: readonly ProfileKind[]
  /** Public URL of a profile; empty where it can't be derived. */
  profileUrl(profile: KnownProfile): string
  /** Default hosts and API version. */
  app: {
    apiVersion: string
    hosts: Hosts
    /** Hosts that depend on the app's options. */
    hostsOf?(options: AppOptions): Hosts
  }
  /** Settings specific to this network: a tier, a mode, a second key. `consumerKey` is CHORUS_X_CONSUMER_KEY. */
  settings?: { readonly [option: string]: AppSetting }
  login: {
    /** Scopes a login requests by default. */
    scopes: readonly string[]
    /** Scopes that depend on the app's options. */
    scopesOf?(options: AppOptions): readonly string[]
    /** Named sets of scopes that the setting accepts: an app of one product is rejected with the scopes of another. */
    scopePresets?: { readonly [name: string]: ScopePreset }
    /** The network's own, longer form of a scope. */
    scopeName?(scope: string): string
    /** Required ending of the redirect URI. */
    redirectSuffix?: '/'
    /** Whether tokens can be refreshed; otherwise only a new login issues one. */
    refreshes: boolean
  }
  push: {
    /** Signature header, and the kinds of activities that are pushed. */
    signature: string
    activities: 'comments' | 'uploads'
    /** How the callback URL is registered. */
    registration: 'automatic' | 'manual'
    /** How the network verifies the callback URL: with the secret verify token, with a challenge anyone could send, or not at all. */
    challenge: 'verify-token' | 'open' | 'none'
  }
  /** Stream types of the contract. */
  streams?: NetworkStreams
  likes: readonly ('post' | 'comment')[]
  /** Replies are posts of their own: they remain when the post they reply to is deleted. */
  repliesArePosts?: true
  /** Post metrics reported besides likes and comments. */
  postMetrics: readonly ('shares' | 'impressions')[]
  /** Number of posts queried together, so that little is lost on a rejection: one request, or a few single ones. */
  metricsBatchSize: number
  /** The app registered with the sandbox, and its options there. */
  sandbox: { clientId: string; options?: { readonly [option: string]: string } }
  /** Limits that differ by profile. */
  limitsOf?(profile: ProfileFacts): Limits
  capabilitiesOf?(profile: ProfileFacts): Capabilities
}

/** Stream types of a network, as named in the contract. */
export interface NetworkStreams {
  /** Prefix of the type in responses: `tw.keyword`. */
  prefix: string
  /** The type of the profile's own posts. */
  own: string
  types: { readonly [type: string]: StreamType }
}

export interface StreamType {
  title: string
  /** Parameter beside the profile: its field in the query, its label, and its format. */
  parameter?: { field: 'keyword' | 'listId' | 'username'; what: string; form?: RegExp }
}

export type ProfileKind = 'page' | 'member' | 'account' | 'channel'

interface KnownProfile {
  kind: ProfileKind
  networkAccountId: string
  networkUsername: string
}

/** One of a set of values, or any text where none are given. */
export interface AppSetting {
  default?: string
  help: string
  values?: readonly string[]
  /** What doesn't work without it. */
  missingMeans?: string
  /** A positive number: an integer, or dollars with cents. */
  number?: 'count' | 'dollars'
}

/** Profile properties that limits and capabilities can depend on. */
export interface ProfileFacts {
  kind: ProfileKind
  /** Plan or role of its owner. */
  tier?: string | undefined
  scopes: readonly string[]
  /** Options of the app. */
  options: AppOptions
}

export interface ScopePreset {
  scopes: readonly string[]
  /** The kind of app it is for. */
  help: string
  /** The option and value that select it; without one, the preset's name is a value of the scopes setting. */
  option?: { name: string; value: string }
}

/** Scopes a login requests. */
export const scopesOf = (
  { login }: Pick<NetworkManifest, 'login'>,
  { scopes, options }: ScopedApp,
): readonly string[] => scopes ?? login.scopesOf?.(options) ?? login.scopes

interface ScopedApp {
  scopes?: readonly string[] | undefined
  options: AppOptions
}

/** Redirect URI of logins, exactly as it must be registered with the network. */
export const redirectUriOf = ({ login }: Pick<NetworkManifest, 'login'>, uri: string): string =>
  login.redirectSuffix && !uri.endsWith(login.redirectSuffix) ? `${uri}${login.redirectSuffix}` : uri

/** Scopes in the network's own form. */
export const networkScopes = ({ login }: Pick<NetworkManifest, 'login'>, scopes: readonly string[]): string[] =>
  scopes.map((scope) => login.scopeName?.(scope) ?? scope)

type Hosts = { readonly [role: string]: string }
type AppOptions = { readonly [option: string]: string | undefined }

/** Hosts for an app with these options. */
export const hostsOf = ({ app }: Pick<NetworkManifest, 'app'>, options: AppOptions): Hosts => ({
  ...app.hosts,
  ...app.hostsOf?.(options),
})

/** Keeps both names as literal types. */
export const networkManifest = <const Network extends string, const Code extends string>(
  manifest: NetworkManifest<Network, Code>,
): NetworkManifest<Network, Code> => manifest

/** Setting of an option: CHORUS_X_CONSUMER_KEY for `consumerKey` of X. */
export const settingName = ({ code }: Pick<NetworkManifest, 'code'>, option: string): string =>
  `CHORUS_${code.toUpperCase()}_${option.replace(/[A-Z]/g, '_$&').toUpperCase()}`

/** Default options of an app. */
export const defaultOptions = ({ settings = {} }: NetworkManifest) =>
  Object.fromEntries(
    Object.entries(settings).flatMap(([name, { default: initial }]) => (initial ? [[name, initial]] : [])),
  )

export interface StreamQuery {
  /** As named in the API contract: `mention`, `keyword`, `page.tags`… */
  type: string
  keyword?: string | undefined
  listId?: string | undefined
  username?: string | undefined
}
