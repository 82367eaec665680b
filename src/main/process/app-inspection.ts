import type { AccessInstallation } from '#areas/profiles/access/profile-row.ts'
import { checkNetwork } from '#areas/profiles/setup/network-check.ts'
import { webhookUrl } from '#areas/profiles/setup/network-setup.ts'
import type { AppFacts, AppInspection } from '#kernel/app-inspection.ts'
import { type NetworkManifest, scopesOf } from '#networks/connector/manifest.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import type { Networks } from '#networks/networks.ts'
import type { Settings } from '../settings/settings.ts'
import { hasOneAccount } from './accounts.ts'
import { isSandboxApp, missingSettings, networkApps } from './network-apps.ts'

interface Options {
  settings: Settings
  databaseUrl: string
  /** A function, because the installation is created later. */
  installation: () => AccessInstallation
}

/** The non-secret configuration of this installation's apps, and their checks. */
export function openAppInspection({ settings, databaseUrl, installation }: Options): AppInspection {
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
