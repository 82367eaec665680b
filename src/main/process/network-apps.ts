import type { AccessInstallation } from '#areas/profiles/access/profile-row.ts'
import { checkNetwork } from '#areas/profiles/setup/network-check.ts'
import { webhookUrl } from '#areas/profiles/setup/network-setup.ts'
import type { AppFacts, AppInspection } from '#kernel/app-inspection.ts'
import type { AppOptions } from '#kernel/context.ts'
import type { Log } from '#kernel/log.ts'
import { hostsOf, type NetworkManifest, scopesOf, settingName } from '#networks/connector/manifest.ts'
import { type NetworkApp, versionStatus, versionWarning } from '#networks/connector/network-app.ts'
import { manifestOf, manifests, type Network, type NetworkCode } from '#networks/manifests.ts'
import { type NetworkApps, type Networks, setupOf } from '#networks/networks.ts'
import type { Settings } from '../settings/settings.ts'
import { hasOneAccount } from './storage.ts'

/** The apps of the settings; in the demo, the sandbox's for every network without one. */
export function networkApps(settings: Settings): NetworkApps {
  const sandbox = settings.demo ? sandboxApps(`http://127.0.0.1:${settings.sandboxPort}`) : undefined
  return Object.fromEntries(
    manifests.map((manifest) => [manifest.network, appOf(settings, manifest) ?? sandbox?.[manifest.network]]),
  )
}

/** Their options, for code that must not access the networks. */
export const optionsOf =
  (apps: NetworkApps): AppOptions =>
  (network) =>
    apps[network as Network]?.options

/** Whether the demo's sandbox replaces the network, because no app is configured for it. */
export const isSandboxApp = (settings: Settings, network: Network): boolean =>
  settings.demo && !manifests.some((manifest) => manifest.network === network && appOf(settings, manifest))

/** Warns about API versions that end within 90 days or have ended; the sandbox's own version never ends. */
export function warnOfVersions(settings: Settings, now: Date, log: Pick<Log, 'warn' | 'error'>) {
  for (const manifest of manifests) {
    const app = appOf(settings, manifest)
    if (!app) continue
    const status = versionStatus(manifest, setupOf(manifest.network), app.apiVersion, now)
    const sentence = versionWarning(manifest.name, status)
    if (!sentence) continue
    const { version, ends, setting } = status
    const facts = { network: manifest.network, version, ends: ends?.toISOString().slice(0, 10), setting }
    if (status.state === 'ended') log.error(facts, sentence)
    else log.warn(facts, sentence)
  }
}

/** Settings of a network's app without a value: required ones, and optional ones whose absence limits the app. */
function missingSettings(settings: Settings, network: Network): { setting: string; means: string }[] {
  if (isSandboxApp(settings, network)) return []
  const manifest = manifests.find((one) => one.network === network) as Known
  const { code, settings: own = {} } = manifest
  const needed = [
    { setting: settingName(manifest, 'clientId'), value: settings[`${code}ClientId`] },
    { setting: settingName(manifest, 'clientSecret'), value: settings[`${code}ClientSecret`] },
  ]
  const recommended = Object.entries(own).flatMap(([option, { missingMeans }]) => {
    if (missingMeans === undefined || optionIn(settings, code, option)) return []
    return [{ setting: settingName(manifest, option), means: missingMeans }]
  })
  const absent = needed
    .filter(({ value }) => !value)
    .map(({ setting }) => ({ setting, means: 'no profile can be connected' }))
  return [...absent, ...recommended]
}

type Known = NetworkManifest<Network, NetworkCode>

function appOf(settings: Settings, manifest: Known): NetworkApp | undefined {
  const { code, settings: own = {} } = manifest
  const clientId = settings[`${code}ClientId`]
  const clientSecret = settings[`${code}ClientSecret`]
  if (!clientId || !clientSecret) return undefined
  const scopes = settings[`${code}Scopes`]
  const options: NetworkApp['options'] = {
    ...Object.fromEntries(Object.keys(own).map((option) => [option, optionIn(settings, code, option)])),
    // For rules that depend on the app's scopes.
    ...(scopes && { scopes: scopes.join(' ') }),
  }
  return {
    clientId,
    clientSecret,
    apiVersion: settings[`${code}ApiVersion`],
    hosts: { ...hostsOf(manifest, options), ...settings[`${code}Hosts`] },
    scopes,
    options,
  }
}

/** The value of CHORUS_X_CONSUMER_KEY for the option `consumerKey` of X. */
const optionIn = (settings: Settings, code: NetworkCode, option: string) =>
  settings[`${code}${option.charAt(0).toUpperCase()}${option.slice(1)}` as keyof Settings] as string | undefined

/** The apps of the sandbox networks. Each host has its own name there, so that calls to the wrong one fail as on the real network. */
export const sandboxApps = (url: string) =>
  Object.fromEntries(manifests.map((manifest) => [manifest.network, sandboxApp(manifest, url)])) as {
    [network in Network]: NetworkApp
  }

function sandboxApp(manifest: NetworkManifest, url: string): NetworkApp {
  const { code, app, sandbox } = manifest
  const { clientId, options = {} } = sandbox
  const { apiVersion } = app
  const hosts = sandboxHosts(hostsOf(manifest, options), url)
  return { clientId, clientSecret: `sandbox-${code}-secret`, apiVersion, hosts, options }
}

/** The sandbox URLs of real hosts. */
export const sandboxHosts = (hosts: NetworkApp['hosts'], url: string): NetworkApp['hosts'] =>
  Object.fromEntries(Object.entries(hosts).map(([role, host]) => [role, `${url}/${new URL(host).host}`]))

interface InspectionOptions {
  settings: Settings
  databaseUrl: string
  /** A function, because the installation is created later. */
  installation: () => AccessInstallation
}

/** The non-secret configuration of this installation's apps, and their checks. */
export function openAppInspection({ settings, databaseUrl, installation }: InspectionOptions): AppInspection {
  const factsOf = (network: Network) => appFacts(settings, manifestOf(network), installation().networks)
  return {
    publicUrl: settings.publicUrl,
    showsVerifyTokens: () => hasOneAccount(databaseUrl),
    facts: (network) => factsOf(network as Network),
    check: (accountId, network) =>
      checkNetwork(installation(), network as Network, {
        facts: factsOf(network as Network),
        accountIds: [accountId],
      }),
  }
}

/** Configuration of a network's app, without its secrets. */
export function appFacts(settings: Settings, manifest: NetworkManifest<Network>, networks: Networks): AppFacts {
  const { network, code, app: standard } = manifest
  const app = networkApps(settings)[network]
  const setup = networks.connector(network)?.webhookSetup?.(webhookUrl(settings.publicUrl ?? '', code))
  return {
    hasApp: app !== undefined,
    isSandbox: isSandboxApp(settings, network),
    missing: missingSettings(settings, network),
    apiVersion: app?.apiVersion ?? standard.apiVersion,
    scopes: scopesOf(manifest, app ?? { options: {} }),
    hasOwnScopes: app?.scopes !== undefined,
    verifyToken: setup?.verifyToken,
    webhookFields: setup?.fields ?? [],
  }
}
