import type { Capabilities, Limits } from '../content/content.ts'
import type { Json } from '../http/json.ts'
import type { Network } from '../manifests.ts'
import type {
  Checkpoint,
  Correspondent,
  Draft,
  Found,
  MediaRef,
  PostName,
  Progress,
  Receipt,
  Step,
  Target,
} from './draft.ts'
import type { NetworkManifest, ProfileKind, StreamQuery } from './manifest.ts'
import type { NetworkApp } from './network-app.ts'

/** Client of one network. Methods that send requests throw a NetworkError on failure. */
export interface Connector {
  readonly network: Network
  capabilities(actor: Actor): Capabilities
  limits(actor: Actor): Limits

  authorizeUrl(login: { state: string; redirectUri: string; verifier: string }): string
  exchangeCode(login: { code: string; redirectUri: string; verifier: string }): Promise<Grant[]>
  /** Call with the profile's lock held: a refresh may invalidate the previous token. */
  refreshToken(actor: Actor): Promise<Secret>

  /**
   * Checks the app's id and secret; throws a `permanent` fault with reason `config` if the network rejects them. Undefined where
   * this can't be checked without a login.
   */
  checkApp?(): Promise<void>
  /** Undefined where the network can't inspect tokens. */
  inspectToken?(actor: Actor): Promise<TokenFacts>

  /** Publishes as far as possible. Call again with the last saved or returned progress, but never with stage `committing`. */
  publish(actor: Actor, draft: Draft, save: Checkpoint, progress?: Progress): Promise<Step>
  /** Looks up a post whose outcome is unknown. */
  findPost(actor: Actor, draft: Draft, since: Date, progress?: Progress): Promise<Found>
  /** Comments on an own post, or replies to a comment or mention. */
  reply(actor: Actor, to: Target, text: string, media: readonly MediaRef[]): Promise<Receipt>
  findReply(actor: Actor, to: Target, text: string, since: Date): Promise<Found>
  message(actor: Actor, to: Correspondent, text: string, media: readonly MediaRef[]): Promise<Receipt>
  findMessage(actor: Actor, to: Correspondent, text: string, since: Date): Promise<Found>
  like(actor: Actor, to: Target): Promise<void>
  /** Succeeds if the post or comment is already gone. */
  remove(actor: Actor, remoteId: string): Promise<void>

  /** Posts unknown to the network are omitted. */
  metrics(actor: Actor, postIds: readonly string[]): Promise<Map<string, Metrics>>
  profile(actor: Actor): Promise<Person & { followers?: number | undefined }>
  fetchStream(actor: Actor, query: StreamQuery, cursor?: string): Promise<Page<Activity>>
  fetchComments(actor: Actor, postId: string, cursor?: string): Promise<Page<Activity>>
  /** Current ids of posts that had none when they were published. Undefined where the network assigns ids at once. */
  laterNames?(actor: Actor, remoteIds: readonly string[]): Promise<Map<string, PostName>>
  /** Comments, mentions and messages, newest first: the same items as pushes, to fill gaps. With a marker, only later items. */
  fetchInbox(actor: Actor, cursor?: string, marker?: string): Promise<Page<Activity>>

  /** Asks the network to send webhooks for the profile to this URL; some subscriptions expire. */
  subscribePush(actor: Actor, callback: string): Promise<{ renewBefore?: Date | undefined }>
  /** Values to enter in the network's app settings; undefined where there are none. */
  webhookSetup?(callback: string): WebhookSetup
  /** The post a comment belongs to, for networks whose pushes don't always name it. */
  postOfComment?(actor: Actor, commentId: string): Promise<string>
  /** Verifies an incoming webhook request and parses it. Pure. */
  verifyPush(request: PushRequest): PushVerdict
}

export interface WebhookSetup {
  callback: string
  verifyToken: string
  fields: readonly string[]
  /** True where an operator enters it by hand; otherwise `subscribePush` registers it. */
  isEntered: boolean
}

export const manifestRules = (
  manifest: NetworkManifest<Network>,
  app: NetworkApp,
): Pick<Connector, 'network' | 'capabilities' | 'limits'> => ({
  network: manifest.network,
  capabilities: (actor) => profileRules(manifest, app, actor).capabilities,
  limits: (actor) => profileRules(manifest, app, actor).limits,
})

/** Limits and capabilities of one profile with this app. */
export function profileRules(
  manifest: NetworkManifest,
  { options }: Pick<NetworkApp, 'options'>,
  { kind, tier, secret }: Pick<Actor, 'kind' | 'tier'> & { secret: Pick<Secret, 'scopes'> },
) {
  const facts = { kind, tier, scopes: secret.scopes, options }
  return {
    limits: manifest.limitsOf?.(facts) ?? manifest.limits,
    capabilities: manifest.capabilitiesOf?.(facts) ?? manifest.capabilities,
  }
}

/** Tokens of a profile. Tokens that don't expire have no date. */
export interface Secret {
  accessToken: string
  refreshToken?: string | undefined
  expiresAt?: Date | undefined
  refreshExpiresAt?: Date | undefined
  scopes: string[]
  /** The Facebook page that the token belongs to, for Instagram accounts connected through a page. */
  pageId?: string | undefined
}

/** Result of inspecting a token. */
export interface TokenFacts {
  isValid: boolean
  /** Granted scopes; undefined where the network does not report them. */
  scopes?: readonly string[] | undefined
  /** Why the token is invalid, as worded by the network. */
  reason?: string | undefined
}

/** The profile that a request is made for. */
export interface Actor {
  network: Network
  kind: ProfileKind
  remoteId: string
  username: string
  /** Affects limits and capabilities: the plan of an X account, the member's role on a LinkedIn page. */
  tier?: string | undefined
  secret: Secret
}

/** A profile opened by a login; one login may open several. */
export interface Grant extends Actor {
  name: string
  picture?: string | undefined
  /** The member whose permissions are used for a page. */
  parentRemoteId?: string | undefined
}

export interface Person {
  id: string
  name?: string | undefined
  username?: string | undefined
  picture?: string | undefined
}

export interface Activity {
  /** Identical for the same event, whether it is received by push, by polling, or more than once. */
  dedupeKey: string
  kind: 'post' | 'comment' | 'reply' | 'mention' | 'message' | 'reaction' | 'share' | 'echo' | 'removed' | 'revoked'
  /** The profile that received it. */
  actorRemoteId: string
  /** Id of the post, comment or message on the network. */
  remoteId: string
  from?: Person | undefined
  postId?: string | undefined
  /** The push may name a different post than the comment's actual parent; `postOfComment` resolves it. */
  isPostUncertain?: true
  parentCommentId?: string | undefined
  threadId?: string | undefined
  text?: string | undefined
  media?: string[] | undefined
  url?: string | undefined
  at: Date
  /** Time of the last edit; `text` is then the edited text. */
  edited?: Date | undefined
  raw: Json
}

export interface Page<Item> {
  items: Item[]
  /** Cursor of the next page; undefined on the last page. */
  cursor?: string | undefined
  /** The newest item seen, for networks that can return only later items. Stored once all pages are read. */
  marker?: string | undefined
}

/** Cumulative metrics of one post; undefined where the network reports none. */
export interface Metrics {
  impressions?: number | undefined
  reach?: number | undefined
  likes?: number | undefined
  comments?: number | undefined
  shares?: number | undefined
  clicks?: number | undefined
  saves?: number | undefined
  views?: number | undefined
}

/** An incoming webhook request from a network. */
export interface PushRequest {
  method: 'GET' | 'POST'
  query: URLSearchParams
  /** Lowercase names. */
  headers: Readonly<Record<string, string | undefined>>
  raw: Uint8Array
  receivedAt: Date
}

/** A rejection carries the status its network expects: WebSub hubs, as YouTube's, expect 202 for everything. */
export type PushVerdict =
  | { ok: true; response: { status: number; type: string; body: string }; items: Activity[] }
  | { ok: false; status: 202 | 400 | 401 | 403; reason: string }

/** Why a request to a network failed, as the action to take. Network error codes stay inside the connectors. */
export type Fault =
  /** A retry may succeed. For a request that can't be repeated it also means that it had no effect. */
  | { kind: 'retryable'; afterMs?: number }
  /** The access token was rejected: refresh it, or the owner has to reconnect. */
  | { kind: 'token'; remedy: 'refresh' | 'reconnect' }
  /** Wait until `until`; the scope says who has to wait. */
  | { kind: 'throttled'; until: Date; scope: 'app' | 'actor' | 'endpoint' }
  /** The network already has this content. */
  | { kind: 'duplicate'; of?: string }
  /** The request may have taken effect: look it up before doing anything else. */
  | { kind: 'unknownOutcome' }
  /** A retry can't succeed. */
  | { kind: 'permanent'; why: PermanentReason; field?: string }

export type PermanentReason = 'input' | 'permission' | 'policy' | 'gone' | 'unsupported' | 'config'

/** Details of the network's response, for logs and support. */
export interface Remote {
  status?: number | undefined
  code?: string | undefined
  subcode?: string | undefined
  requestId?: string | undefined
}

/** A failed request to a network; the message can be shown to users. */
export class NetworkError extends Error {
  override name = 'NetworkError'
  readonly network: Network
  readonly fault: Fault
  readonly remote: Remote

  constructor(network: Network, fault: Fault, message: string, remote: Remote = {}, cause?: unknown) {
    super(message, { cause })
    this.network = network
    this.fault = fault
    this.remote = remote
  }
}

/** For operations the network doesn't offer. */
export const unsupported = (network: Network, message: string) =>
  new NetworkError(network, { kind: 'permanent', why: 'unsupported' }, message)

/** For content the network would reject. */
export const badInput = (network: Network, message: string, field?: string) =>
  new NetworkError(network, { kind: 'permanent', why: 'input', ...(field !== undefined && { field }) }, message)
