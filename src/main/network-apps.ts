import type { Network } from '#networks/network.ts'
import type { NetworkApp } from '#networks/network-app.ts'
import type { NetworkApps } from '#networks/networks.ts'
import { standardApps } from '#networks/standard-apps.ts'
import type { Settings } from './settings.ts'

/** The apps of the settings; while the demo is on, the sandbox's for every network that has none. */
export function networkApps(settings: Settings): NetworkApps {
  const apps: NetworkApps = {
    Facebook: appOf(settings, 'facebook'),
    Instagram: appOf(settings, 'instagram', { login: settings.instagramLogin }),
    LinkedIn: appOf(settings, 'linkedin', {
      messages: settings.linkedinMessages,
      scopes: settings.linkedinScopes,
      applicationId: settings.linkedinApplicationId,
    }),
    Twitter: appOf(settings, 'x', {
      tier: settings.xTier,
      consumerKey: settings.xConsumerKey,
      consumerSecret: settings.xConsumerSecret,
    }),
    YouTube: appOf(settings, 'youtube'),
    TikTok: appOf(settings, 'tiktok'),
  }
  if (!settings.demo) return apps
  const sandbox = sandboxApps(`http://127.0.0.1:${settings.sandboxPort}`)
  return Object.fromEntries(Object.entries(apps).map(([network, own]) => [network, own ?? sandbox[network as Network]]))
}

type Prefix = 'facebook' | 'instagram' | 'linkedin' | 'x' | 'youtube' | 'tiktok'

function appOf(settings: Settings, prefix: Prefix, options: NetworkApp['options'] = {}): NetworkApp | undefined {
  const clientId = settings[`${prefix}ClientId`]
  const clientSecret = settings[`${prefix}ClientSecret`]
  if (!clientId || !clientSecret) return undefined
  return {
    clientId,
    clientSecret,
    apiVersion: settings[`${prefix}ApiVersion`],
    hosts: settings[`${prefix}Hosts`],
    options,
  }
}

/** The apps the sandbox networks know, with every host at the sandbox. */
export const sandboxApps = (url: string): { [network in Network]: NetworkApp } => ({
  Facebook: sandboxApp('Facebook', `${url}/facebook`, '900000000000001', 'facebook'),
  Instagram: sandboxApp('Instagram', `${url}/instagram`, '900000000000002', 'instagram'),
  LinkedIn: sandboxApp('LinkedIn', `${url}/linkedin`, 'sandbox-linkedin-client', 'linkedin', { messages: 'yes' }),
  Twitter: sandboxApp('Twitter', `${url}/x`, 'sandbox-x-client', 'x', { tier: 'enterprise' }),
  YouTube: sandboxApp('YouTube', `${url}/youtube`, 'sandbox-youtube-client.apps.googleusercontent.com', 'youtube'),
  TikTok: sandboxApp('TikTok', `${url}/tiktok`, 'sandbox-tiktok-client', 'tiktok'),
})

function sandboxApp(
  network: Network,
  base: string,
  clientId: string,
  secretName: string,
  options: NetworkApp['options'] = {},
): NetworkApp {
  const { apiVersion, hosts } = standardApps[network]
  const here = Object.fromEntries(Object.keys(hosts).map((role) => [role, base]))
  return { clientId, clientSecret: `sandbox-${secretName}-secret`, apiVersion, hosts: here, options }
}
