import type { Capabilities, Limits } from '../content/limits.ts'
import type { Network } from '../manifests.ts'
import type { Activity, Metrics, Page, Person, PushRequest, PushVerdict, StreamQuery } from './activity.ts'
import type { Actor, Grant, Secret, TokenFacts } from './actor.ts'
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
import type { NetworkManifest } from './manifest.ts'
import type { NetworkApp } from './network-app.ts'

/** How the service talks to one network. Every method that calls it throws a NetworkError when it does not succeed. */
export interface Connector {
  readonly network: Network
  capabilities(actor: Actor): Capabilities
  limits(actor: Actor): Limits

  authorizeUrl(login: { state: string; redirectUri: string; verifier: string }): string
  exchangeCode(login: { code: string; redirectUri: string; verifier: string }): Promise<Grant[]>
  /** The caller holds the profile's lock: a refresh may kill the token before. */
  refreshToken(actor: Actor): Promise<Secret>

  /**
   * Asks whether the network accepts the app's id and secret: a fault of kind `permanent`, `config` says that it does not. Absent where
   * no call tells that without a login.
   */
  checkApp?(): Promise<void>
  /** What the network says of a profile's token; absent where it has no call for that. */
  inspectToken?(actor: Actor): Promise<TokenFacts>

  /** Goes as far as it can. Called again with the last progress it saved or gave back; never with one of stage `committing`. */
  publish(actor: Actor, draft: Draft, save: Checkpoint, progress?: Progress): Promise<Step>
  /** What became of a post whose outcome is unknown. */
  findPost(actor: Actor, draft: Draft, since: Date, progress?: Progress): Promise<Found>
  /** A comment of our own under our own post, or an answer to somebody's comment or mention. */
  reply(actor: Actor, to: Target, text: string, media: readonly MediaRef[]): Promise<Receipt>
  findReply(actor: Actor, to: Target, text: string, since: Date): Promise<Found>
  message(actor: Actor, to: Correspondent, text: string, media: readonly MediaRef[]): Promise<Receipt>
  findMessage(actor: Actor, to: Correspondent, text: string, since: Date): Promise<Found>
  like(actor: Actor, to: Target): Promise<void>
  /** What is gone already counts as removed. */
  remove(actor: Actor, remoteId: string): Promise<void>

  /** Posts the network does not know are left out. */
  metrics(actor: Actor, postIds: readonly string[]): Promise<Map<string, Metrics>>
  profile(actor: Actor): Promise<Person & { followers?: number | undefined }>
  fetchStream(actor: Actor, query: StreamQuery, cursor?: string): Promise<Page<Activity>>
  fetchComments(actor: Actor, postId: string, cursor?: string): Promise<Page<Activity>>
  /** The names that posts have now which the network had not named when they were published; absent where it names all at once. */
  laterNames?(actor: Actor, remoteIds: readonly string[]): Promise<Map<string, PostName>>
  /** Comments, mentions and messages, newest first: what pushes tell, for those that got lost. A marker asks for what came after it. */
  fetchInbox(actor: Actor, cursor?: string, marker?: string): Promise<Page<Activity>>

  /** Asks the network to call this address about the profile; some forget it after a while. */
  subscribePush(actor: Actor, callback: string): Promise<{ renewBefore?: Date | undefined }>
  /** What belongs to this address in the network's settings of the app; absent where a network has no such settings. */
  webhookSetup?(callback: string): WebhookSetup
  /** Asks under which post a comment stands, where pushes do not always say. */
  postOfComment?(actor: Actor, commentId: string): Promise<string>
  /** Judges a call and reads what it tells; pure. */
  verifyPush(request: PushRequest): PushVerdict
}

export interface WebhookSetup {
  callback: string
  verifyToken: string
  fields: readonly string[]
  /** An operator enters it by hand; elsewhere `subscribePush` does. */
  isEntered: boolean
}

/** What a manifest says of every connector. */
export const described = (
  manifest: NetworkManifest<Network>,
  app: NetworkApp,
): Pick<Connector, 'network' | 'capabilities' | 'limits'> => ({
  network: manifest.network,
  capabilities: (actor) => profileRules(manifest, app, actor).capabilities,
  limits: (actor) => profileRules(manifest, app, actor).limits,
})

/** What one profile may do with this app, and how much of it. */
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
