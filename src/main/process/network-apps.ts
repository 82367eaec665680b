import type { AppOptions } from '#kernel/context.ts'
import type { NetworkManifest } from '#networks/connector/manifest.ts'
import type { NetworkApp } from '#networks/connector/network-app.ts'
import { manifests, type Network, type NetworkCode } from '#networks/manifests.ts'
import type { NetworkApps } from '#networks/networks.ts'
import type { Settings } from '../settings/settings.ts'

/** The apps of the settings; while the demo is on, the sandbox's for every network that has none. */
export function networkApps(settings: Settings): NetworkApps {
  const sandbox = settings.demo ? sandboxApps(`http://127.0.0.1:${settings.sandboxPort}`) : undefined
  return Object.fromEntries(
    manifests.map((manifest) => [manifest.network, appOf(settings, manifest) ?? sandbox?.[manifest.network]]),
  )
}

/** What was set for them, for who must not reach the networks themselves. */
export const optionsOf =
  (apps: NetworkApps): AppOptions =>
  (network) =>
    apps[network as Network]?.options

type Known = NetworkManifest<Network, NetworkCode>

function appOf(settings: Settings, { code, settings: own = {} }: Known): NetworkApp | undefined {
  const clientId = settings[`${code}ClientId`]
  const clientSecret = settings[`${code}ClientSecret`]
  if (!clientId || !clientSecret) return undefined
  const options = Object.keys(own).map((option) => [option, optionIn(settings, code, option)])
  return {
    clientId,
    clientSecret,
    apiVersion: settings[`${code}ApiVersion`],
    hosts: settings[`${code}Hosts`],
    options: Object.fromEntries(options),
  }
}

/** The value of CHORUS_X_CONSUMER_KEY for the option `consumerKey` of X. */
const optionIn = (settings: Settings, code: NetworkCode, option: string) =>
  settings[`${code}${option.charAt(0).toUpperCase()}${option.slice(1)}` as keyof Settings] as string | undefined

/** The apps the sandbox networks know. Each host is reached under its own name there, so that the wrong one refuses as the real one does. */
export const sandboxApps = (url: string) =>
  Object.fromEntries(manifests.map((manifest) => [manifest.network, sandboxApp(manifest, url)])) as {
    [network in Network]: NetworkApp
  }

function sandboxApp({ code, app: { apiVersion, hosts }, sandbox }: NetworkManifest, url: string): NetworkApp {
  const { clientId, options = {} } = sandbox
  const here = Object.fromEntries(Object.entries(hosts).map(([role, host]) => [role, `${url}/${new URL(host).host}`]))
  return { clientId, clientSecret: `sandbox-${code}-secret`, apiVersion, hosts: here, options }
}
