import type { ContentRules } from '../content/content.ts'
import type { Capabilities, Limits } from '../content/limits.ts'

/** All that is known of a network before it is talked to; settings, documentation, checks and tests follow from it. */
export interface NetworkManifest<Network extends string = string, Code extends string = string> extends ContentRules {
  /** As the contract spells it. */
  network: Network
  /** Its folder, its part of the sandbox, and what its settings begin with. */
  code: Code
  /** Where the contract lists it; part of some profiles' ids, so it never changes. */
  number: number
  /** Other spellings that callers use. */
  spellings?: readonly string[]
  /** What a login opens, the usual kind first. */
  profileKinds: readonly ProfileKind[]
  /** Where people see a profile; empty where no address follows from what is known. */
  profileUrl(profile: KnownProfile): string
  /** Where the network is and which version of its interface is spoken, unless settings say otherwise. */
  app: {
    apiVersion: string
    hosts: Hosts
    /** Those that are elsewhere with what was set for the app. */
    hostsOf?(options: AppOptions): Hosts
  }
  /** What only this network's app has: a tier, a mode, a second key. `consumerKey` is CHORUS_X_CONSUMER_KEY. */
  settings?: { readonly [option: string]: AppSetting }
  login: {
    /** What the app asks for, unless settings say otherwise. */
    scopes: readonly string[]
    /** Where that depends on what else was set for the app. */
    scopesOf?(options: AppOptions): readonly string[]
    /** Sets of scopes that belong together, by the name that the setting takes: an app of one product is refused with those of another. */
    scopePresets?: { readonly [name: string]: ScopePreset }
    /** How the network itself writes a scope, where that is longer. */
    scopeName?(scope: string): string
    /** What the address that a login comes back to must end with. */
    redirectEnd?: '/'
    /** Whether a token can be had for another; else only a new login gives one. */
    renews: boolean
  }
  push: {
    /** Which header proves a push, and what is told of. */
    signature: string
    tells: 'comments' | 'uploads'
    /** How the network learns the address. */
    registration: 'automatic' | 'manual'
    /** How the network tries out the address: with the verify token, which only it knows, in a way that anybody could, or not at all. */
    challenge: 'verify-token' | 'open' | 'none'
  }
  /** What can be watched there as a stream, where the contract has any. */
  streams?: NetworkStreams
  /** What can be liked through its interface. */
  likes: readonly ('post' | 'comment')[]
  /** Comments are posts of their own: they stay when the post that they answer is deleted. */
  answersArePosts?: true
  /** Which numbers of posts it tells beside likes and comments. */
  tells: readonly ('shares' | 'impressions')[]
  /** Of how many posts it is asked together, so that little is lost when it refuses: those of one call, or a few that are asked one by one. */
  metricsAtOnce: number
  /** The app that the sandbox knows, and what it is allowed there. */
  sandbox: { clientId: string; options?: { readonly [option: string]: string } }
  /** Where they differ from those of every profile. */
  limitsOf?(profile: ProfileFacts): Limits
  capabilitiesOf?(profile: ProfileFacts): Capabilities
}

/** The streams of a network, by their type as the contract names it. */
export interface NetworkStreams {
  /** What the contract puts before the type in answers: `tw.keyword`. */
  prefix: string
  /** The one of a profile's own posts. */
  own: string
  types: { readonly [type: string]: StreamType }
}

export interface StreamType {
  title: string
  /** What it needs beside a profile: where a question to the network has it, what it is in words, and its form. */
  asks?: { field: 'keyword' | 'listId' | 'username'; what: string; form?: RegExp }
}

export type ProfileKind = 'page' | 'member' | 'account' | 'channel'

interface KnownProfile {
  kind: ProfileKind
  networkAccountId: string
  networkUsername: string
}

/** One of a few words, or any text where none are given. */
export interface AppSetting {
  standard?: string
  help: string
  words?: readonly string[]
  /** What does not work without it. */
  missingMeans?: string
  /** A number above zero: whole for counts, with cents for dollars. */
  number?: 'count' | 'dollars'
}

/** What limits and capabilities of a profile can depend on. */
export interface ProfileFacts {
  kind: ProfileKind
  /** The plan of its owner, or the owner's role. */
  tier?: string | undefined
  scopes: readonly string[]
  /** Those of the app. */
  options: AppOptions
}

export interface ScopePreset {
  scopes: readonly string[]
  /** The kind of app that it is for, in words. */
  help: string
  /** The option that chooses it, and its value; without one the name is a value of the setting for scopes. */
  option?: { name: string; value: string }
}

/** What a login asks for. */
export const scopesOf = (
  { login }: Pick<NetworkManifest, 'login'>,
  { scopes, options }: AskingApp,
): readonly string[] => scopes ?? login.scopesOf?.(options) ?? login.scopes

interface AskingApp {
  scopes?: readonly string[] | undefined
  options: AppOptions
}

/** The address that a login comes back to, exactly as the network must know it. */
export const redirectUriOf = ({ login }: Pick<NetworkManifest, 'login'>, uri: string): string =>
  login.redirectEnd && !uri.endsWith(login.redirectEnd) ? `${uri}${login.redirectEnd}` : uri

/** How the network itself writes scopes. */
export const writtenScopes = ({ login }: Pick<NetworkManifest, 'login'>, scopes: readonly string[]): string[] =>
  scopes.map((scope) => login.scopeName?.(scope) ?? scope)

type Hosts = { readonly [role: string]: string }
type AppOptions = { readonly [option: string]: string | undefined }

/** Where the network is for an app with these options. */
export const hostsOf = ({ app }: Pick<NetworkManifest, 'app'>, options: AppOptions): Hosts => ({
  ...app.hosts,
  ...app.hostsOf?.(options),
})

/** Keeps the two names exact, so that types can be made of them. */
export const networkManifest = <const Network extends string, const Code extends string>(
  manifest: NetworkManifest<Network, Code>,
): NetworkManifest<Network, Code> => manifest

/** The setting of an option: CHORUS_X_CONSUMER_KEY for `consumerKey` of X. */
export const settingName = ({ code }: Pick<NetworkManifest, 'code'>, option: string): string =>
  `CHORUS_${code.toUpperCase()}_${option.replace(/[A-Z]/g, '_$&').toUpperCase()}`

/** The options an app has when nobody has set any. */
export const standardOptions = ({ settings = {} }: NetworkManifest) =>
  Object.fromEntries(Object.entries(settings).flatMap(([name, { standard }]) => (standard ? [[name, standard]] : [])))
