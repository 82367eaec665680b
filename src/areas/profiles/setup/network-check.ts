import type { AppFacts, Finding } from '#kernel/app-inspection.ts'
import type { Actor, Connector, TokenFacts } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { type NetworkManifest, networkScopes } from '#networks/connector/manifest.ts'
import type { Capabilities } from '#networks/content/content.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { setupOf } from '#networks/networks.ts'
import { withProfile } from '../access/profile-access.ts'
import type { AccessInstallation } from '../access/profile-row.ts'
import { readWebhookCalls } from './network-setup.ts'

/** More would take too long; the rest is only counted. */
const maximumProfiles = 50
const atOnce = 5

/** Checks the app, its webhook and the profiles of some accounts. Changes nothing, except that expired tokens are renewed. */
export async function checkNetwork(
  installation: AccessInstallation,
  network: Network,
  { facts, accountIds }: { facts: AppFacts; accountIds: readonly string[] },
): Promise<Finding[]> {
  const connector = installation.networks.connector(network)
  const manifest = manifestOf(network)
  if (!connector) {
    const needed = facts.missing.map(({ setting }) => setting).join(' and ')
    return [{ what: 'Credentials', outcome: 'problem', text: `Not set: ${needed}.` }]
  }
  const findings = [await checkCredentials(connector, manifest), await checkWebhook(installation, manifest)]
  const profiles = await connectedProfiles(installation, network, accountIds)
  for (let from = 0; from < Math.min(profiles.length, maximumProfiles); from += atOnce) {
    const some = profiles.slice(from, Math.min(from + atOnce, maximumProfiles))
    findings.push(...(await Promise.all(some.map((profile) => checkProfile(installation, manifest, facts, profile)))))
  }
  if (profiles.length === 0)
    findings.push({
      what: 'Profiles',
      outcome: 'unknown',
      text: 'No profile is connected, so no token can be checked.',
    })
  if (profiles.length > maximumProfiles) {
    const text = `${profiles.length - maximumProfiles} more profiles were not checked.`
    findings.push({ what: 'Profiles', outcome: 'unknown', text })
  }
  return findings
}

async function checkCredentials(connector: Connector, { name }: NetworkManifest): Promise<Finding> {
  const what = 'Credentials'
  if (!connector.checkApp)
    return {
      what,
      outcome: 'unknown',
      text: `Set. ${name} cannot check them without a login; connect a profile to try them.`,
    }
  try {
    await connector.checkApp()
    return { what, outcome: 'ok', text: `${name} accepts the app's ID and secret.` }
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    const isRefused = error.fault.kind === 'permanent' && error.fault.why === 'config'
    if (isRefused)
      return { what, outcome: 'problem', text: `${name} refuses the app's ID or secret. ${ended(error.message)}` }
    return { what, outcome: 'unknown', text: `They could not be checked. ${ended(error.message)}` }
  }
}

async function checkWebhook({ database }: AccessInstallation, manifest: NetworkManifest<Network>): Promise<Finding> {
  const { network, name, push } = manifest
  const { challenged, delivered } = (await readWebhookCalls(database.shared)).get(network) ?? {}
  const delivery = delivered ? ` Last valid delivery: ${minute(delivered)}.` : ' No valid delivery yet.'
  const what = 'Webhook'
  if (push.challenge === 'none') {
    const outcome = delivered ? 'ok' : 'unknown'
    return { what, outcome, text: `${name} sends no challenge.${delivery}` }
  }
  if (challenged) return { what, outcome: 'ok', text: `Last challenge answered: ${minute(challenged)}.${delivery}` }
  if (delivered) return { what, outcome: 'ok', text: delivery.trim() }
  const when =
    push.registration === 'manual'
      ? `${name} sends one when the webhook URL is entered in the app's dashboard.`
      : `${name} sends one when a profile is connected.`
  return { what, outcome: 'unknown', text: `No challenge received yet. ${when}` }
}

interface Connected {
  accountId: string
  id: string
  displayName: string
  status: string
  statusReason: string
}

/** Profiles of the account; those of advocates are private. */
async function connectedProfiles(
  { database }: AccessInstallation,
  network: Network,
  accountIds: readonly string[],
): Promise<Connected[]> {
  const found: Connected[] = []
  for (const accountId of accountIds) {
    const rows = await database
      .forAccount(accountId)
      .selectFrom('credentials')
      .select(['id', 'name', 'displayName', 'status', 'statusReason'])
      .where('accountId', '=', accountId)
      .where('network', '=', network)
      .where('deleted', 'is', null)
      .where('boardOnly', '=', false)
      .orderBy('id')
      .execute()
    found.push(
      ...rows.map(({ displayName, name, statusReason, ...row }) => ({
        ...row,
        accountId,
        displayName: displayName || name,
        statusReason: statusReason ?? '',
      })),
    )
  }
  return found
}

async function checkProfile(
  installation: AccessInstallation,
  manifest: NetworkManifest<Network>,
  facts: AppFacts,
  { accountId, id, displayName, status, statusReason }: Connected,
): Promise<Finding> {
  const what = `${displayName} (${id})`
  if (status !== 'valid')
    return {
      what,
      outcome: 'problem',
      text: `${ended(statusReason || 'The access has ended')} Connect the profile again.`,
    }
  try {
    return await withProfile(installation, { accountId, id }, async (connector, actor) => {
      const token = await inspected(connector, actor)
      if (token && !token.isValid)
        return {
          what,
          outcome: 'problem',
          text: `${ended(token.reason ?? 'The token is not valid')} Connect the profile again.`,
        }
      return { what, ...scopeVerdict(manifest, facts, connector, actor, token) }
    })
  } catch (error) {
    if (error instanceof NetworkError && error.fault.kind === 'token')
      return { what, outcome: 'problem', text: `${ended(error.message)} Connect the profile again.` }
    return { what, outcome: 'unknown', text: `It could not be checked. ${ended((error as Error).message)}` }
  }
}

/** A token that the network refuses is a finding here, not a reason to renew it or to mark the profile invalid. */
async function inspected(connector: Connector, actor: Actor): Promise<TokenFacts | undefined> {
  try {
    return await connector.inspectToken?.(actor)
  } catch (error) {
    if (error instanceof NetworkError && error.fault.kind === 'token') return { isValid: false, reason: error.message }
    throw error
  }
}

/** Compares the granted scopes with those requested by logins, and lists the features the missing ones disable. */
function scopeVerdict(
  manifest: NetworkManifest<Network>,
  facts: AppFacts,
  connector: Connector,
  actor: Actor,
  token: TokenFacts | undefined,
): Omit<Finding, 'what'> {
  const { name, network } = manifest
  const { scopeUses } = setupOf(network)
  const stored = actor.secret.scopes
  const granted = token?.scopes ?? stored
  const checked = token ? `${name} says that the token is valid.` : `${name} has no call that inspects tokens.`
  if (granted.length === 0) return { outcome: 'unknown', text: `${checked} Its scopes are not known.` }
  const missingScopes = facts.scopes.filter((scope) => !granted.includes(networkScopes(manifest, [scope])[0] ?? scope))
  // Only the granted scopes that the user's role allows were stored.
  const usable = stored.length > 0 ? granted.filter((scope) => stored.includes(scope)) : granted
  const disabled = disabledBy(connector, actor, networkScopes(manifest, facts.scopes), usable)
  if (missingScopes.length === 0 && disabled.length === 0) {
    const since = token?.scopes ? '' : ' at the login'
    return { outcome: 'ok', text: `${checked} All ${facts.scopes.length} scopes were granted${since}.` }
  }
  const sentences = [checked]
  if (missingScopes.length > 0) {
    const named = missingScopes.map((scope) => (scopeUses[scope] ? `${scope} (${scopeUses[scope]})` : scope))
    sentences.push(`Missing scopes: ${named.join('; ')}.`)
  }
  if (disabled.length > 0) sentences.push(`Disabled: ${disabled.join(', ')}.`)
  sentences.push('Connect the profile again and allow everything.')
  return { outcome: 'problem', text: sentences.join(' ') }
}

/** Features the profile would have with all scopes and lacks with these. */
function disabledBy(connector: Connector, actor: Actor, all: readonly string[], usable: readonly string[]): string[] {
  const having = (scopes: readonly string[]) =>
    connector.capabilities({ ...actor, secret: { ...actor.secret, scopes: [...scopes] } })
  const [whole, left] = [having(all), having(usable)]
  const features = Object.keys(capabilityNames) as (keyof Capabilities)[]
  return features
    .filter((feature) => whole[feature] === 'yes' && left[feature] !== 'yes')
    .map((feature) => capabilityNames[feature])
}

const capabilityNames: { readonly [feature in keyof Capabilities]: string } = {
  text: 'text posts',
  link: 'link posts',
  image: 'pictures',
  multiImage: 'several pictures',
  video: 'videos',
  document: 'documents',
  firstComment: 'first comments',
  reply: 'replies',
  threadedReply: 'threaded replies',
  replyMedia: 'media in replies',
  directMessage: 'direct messages',
  like: 'likes',
  remove: 'deleting posts',
  audience: 'audience targeting',
  reshare: 'resharing',
  push: 'webhooks',
  postMetrics: 'post metrics',
  followers: 'followers',
}

/** Some networks end their messages with punctuation, some do not. */
const ended = (sentence: string) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)

const minute = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
