import { sql } from 'kysely'
import type { AppFacts } from '#kernel/app-inspection.ts'
import type { Database, Db } from '#kernel/database/database.ts'
import type { Log } from '#kernel/log.ts'
import { type NetworkManifest, networkScopes, redirectUriOf, settingName } from '#networks/connector/manifest.ts'
import { type VersionStatus, versionStatus, versionWarning } from '#networks/connector/network-app.ts'
import type { Network } from '#networks/manifests.ts'
import { setupOf } from '#networks/networks.ts'

export const setupStates = ['missing', 'attention', 'ready'] as const

/** A type of app that can be registered, and the scopes it requests. */
export interface Recipe {
  name: string
  help: string
  /** The setting and value that select it; empty if there is only one type. */
  setting: string
  /** In the network's notation. */
  scopes: readonly string[]
  isCurrent: boolean
}

/** Everything needed to register an app with a network, and the state of the registered one. */
export interface NetworkSetup extends WebhookCalls {
  network: Network
  name: string
  state: (typeof setupStates)[number]
  isSandbox: boolean
  /** Problems and missing settings, as sentences. */
  problems: readonly string[]
  missing: AppFacts['missing']
  /** Empty until the service's public URL is set. */
  redirectUrl: string
  webhookUrl: string
  registration: NetworkManifest['push']['registration']
  challenge: NetworkManifest['push']['challenge']
  webhookFields: readonly string[]
  verifyToken: string
  recipes: readonly Recipe[]
  review: string
  guide: string
  version: VersionStatus
}

interface Known {
  facts: AppFacts
  calls: WebhookCalls | undefined
  /** As set by the operator. */
  publicUrl: string | undefined
  now: Date
}

/** Used by the command line and the console. */
export function networkSetup(manifest: NetworkManifest<Network>, known: Known): NetworkSetup {
  const { network, name, code, push } = manifest
  const setup = setupOf(network)
  const { facts, calls, publicUrl, now } = known
  const version = versionStatus(manifest, setup, facts.apiVersion, now)
  const problems = facts.hasApp && !facts.isSandbox ? problemsOf(manifest, known, version) : []
  return {
    network,
    name,
    state: !facts.hasApp ? 'missing' : problems.length > 0 ? 'attention' : 'ready',
    isSandbox: facts.isSandbox,
    problems,
    missing: facts.missing,
    redirectUrl: publicUrl === undefined ? '' : redirectUriOf(manifest, redirectUrl(publicUrl, network)),
    webhookUrl: publicUrl === undefined ? '' : webhookUrl(publicUrl, code),
    registration: push.registration,
    challenge: push.challenge,
    webhookFields: facts.webhookFields,
    verifyToken: facts.verifyToken ?? '',
    recipes: recipesOf(manifest, facts),
    review: setup.review,
    guide: `docs/networks/${code}.md`,
    version,
    challenged: calls?.challenged ?? null,
    delivered: calls?.delivered ?? null,
  }
}

export const redirectUrl = (publicUrl: string, network: Network) => `${publicUrl}/app/connect/${network}/callback`

export const webhookUrl = (publicUrl: string, code: string) => `${publicUrl}/push/${code}`

export const publicUrlMissing = 'Set CHORUS_PUBLIC_URL to the address at which browsers and networks reach Chorus.'

function problemsOf({ name, push }: NetworkManifest, { publicUrl, calls }: Known, version: VersionStatus): string[] {
  const problems: string[] = []
  if (publicUrl === undefined) problems.push(publicUrlMissing)
  else if (!publicUrl.startsWith('https:'))
    problems.push('CHORUS_PUBLIC_URL does not begin with https://, which networks require.')
  const warning = versionWarning(name, version)
  if (warning) problems.push(warning)
  if (push.registration === 'manual' && push.challenge === 'verify-token' && !calls?.challenged)
    problems.push(
      `${name} has not verified the webhook URL yet: enter it in the app's dashboard with the verify token. Until then the inbox is polled.`,
    )
  return problems
}

function recipesOf(manifest: NetworkManifest, { scopes, hasOwnScopes }: AppFacts): Recipe[] {
  const { login } = manifest
  const scopesSetting = settingName(manifest, 'scopes')
  const recipe = (name: string, help: string, setting: string, requestedScopes: readonly string[]): Recipe => ({
    name,
    help,
    setting,
    scopes: networkScopes(manifest, requestedScopes),
    isCurrent: isSame(requestedScopes, scopes),
  })
  const presets = Object.entries(login.scopePresets ?? {}).map(([name, { help, option, scopes: requestedScopes }]) =>
    recipe(
      name,
      help,
      option ? `${settingName(manifest, option.name)}=${option.value}` : `${scopesSetting}=${name}`,
      requestedScopes,
    ),
  )
  const known = presets.length > 0 ? presets : [recipe('default', 'everything Chorus can use', '', login.scopes)]
  if (!hasOwnScopes || known.some(({ isCurrent }) => isCurrent)) return known
  return [...known, recipe('custom', 'a list of your own', scopesSetting, scopes)]
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((scope) => other.includes(scope))

/** When a network last verified the webhook URL, and last delivered an event with a valid signature. */
export interface WebhookCalls {
  challenged: Date | null
  delivered: Date | null
}

/** There may be thousands of deliveries, and the single row must not become a point of contention. */
const recordEvery = 60_000

/** Records the times of network calls, at most once a minute per kind and process. */
export function openWebhookNotes({ database, log }: { database: Database; log: Log }) {
  const recorded = new Map<string, number>()
  return async (network: Network, kind: keyof WebhookCalls, at: Date): Promise<void> => {
    const key = `${network} ${kind}`
    const before = recorded.get(key)
    // A clock that was set back must not stop the recording.
    if (before !== undefined && Math.abs(at.getTime() - before) < recordEvery) return
    recorded.set(key, at.getTime())
    const [challenged, delivered] = kind === 'challenged' ? [at, null] : [null, at]
    try {
      await sql`
        insert into network_challenges (network, challenged, delivered) values (${network}, ${challenged}, ${delivered})
        on conflict (network) do update set challenged = greatest(network_challenges.challenged, excluded.challenged),
          delivered = greatest(network_challenges.delivered, excluded.delivered)`.execute(database.shared)
    } catch (error) {
      // The network still gets its response, and the next call is recorded.
      recorded.delete(key)
      log.warn({ err: error, network }, 'a webhook call could not be noted')
    }
  }
}

export async function readWebhookCalls(db: Db): Promise<Map<string, WebhookCalls>> {
  const rows = await db.selectFrom('networkChallenges').selectAll().execute()
  return new Map(rows.map(({ network, challenged, delivered }) => [network, { challenged, delivered }]))
}
