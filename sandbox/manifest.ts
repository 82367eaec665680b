import { snowflake } from './state/ids.ts'
import type { Item, Network, Person, Profile } from './state/rows.ts'

/** What one network of the sandbox is like, as far as it is no code: typed from its documentation and from nothing the connectors use. */
export interface SandboxManifest {
  network: Network
  /** What its paths begin with. */
  prefix: string
  /** The one registered app. */
  app: { id: string; secret: string }
  usualKind: Profile['kind']
  /** All that an app can be allowed. */
  scopes: string[]
  /** How long tokens live; none means until somebody takes them away. */
  lifetimes: { access?: number; refresh?: number }
  codeLifetime: number
  /** The pauses between attempts to push, on the sandbox's clock. */
  pushPauses: number[]
  /** The id of the post that is shown there, if the address is one of a single post. */
  permalink(path: string, query: URLSearchParams): string | undefined
  limits: NetworkLimits
  names: Names
}

export interface FileRule {
  mimes: string[]
  maxBytes: number
  minBytes?: number
  minSeconds?: number
  maxSeconds?: number
  /** Width divided by height. */
  /** The longest that its longer and its shorter side may be. */
  sides?: [long: number, short: number]
  aspect?: [number, number]
}

export interface NetworkLimits {
  text: number
  title?: number
  comment: number
  message?: number
  images: number
  image?: FileRule
  gif?: FileRule
  video: FileRule
  document?: FileRule
}

/** How a network spells the ids of what is said on it. */
export interface Names {
  comment(post: Item, parent: Item): string
  mention(from: Person): string
  message(): string
  thread(profile: Profile, person: Person): string
  like(from: Person, target: Item): string
}

export const digits: Names = {
  comment: snowflake,
  mention: snowflake,
  message: snowflake,
  thread: snowflake,
  like: () => `like-${snowflake()}`,
}

/** For addresses that hold the id in their path; it is what the pattern catches. */
export const inPath = (pattern: RegExp) => (path: string) => pattern.exec(path)?.[1]

export const MB = 1_000_000
export const GB = 1000 * MB
