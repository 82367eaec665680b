import type { Connector } from './connector/connector.ts'
import { NetworkError } from './connector/fault.ts'
import type { NetworkApp, NetworkInstallation } from './connector/network-app.ts'
import { openFacebook } from './facebook/facebook.ts'
import { openInstagram } from './instagram/instagram.ts'
import { openLinkedIn } from './linkedin/linkedin.ts'
import { connectedNetworks, type Network, type NetworkName } from './manifests.ts'
import { openTikTok } from './tiktok/tiktok.ts'
import { openX } from './x/x.ts'
import { openYouTube } from './youtube/youtube.ts'

/** How each network is opened; apart from the manifests, which browsers read too. */
const openers: { [network in Network]: (app: NetworkApp, installation: NetworkInstallation) => Connector } = {
  Facebook: openFacebook,
  Instagram: openInstagram,
  LinkedIn: openLinkedIn,
  Twitter: openX,
  YouTube: openYouTube,
  TikTok: openTikTok,
}

/** The networks this installation talks to. */
export interface Networks {
  /** Nothing for a network that is a name only, or that this installation has no app for. */
  connector(network: NetworkName): Connector | undefined
}

/** The apps that were registered with the networks; those without one cannot be connected. */
export type NetworkApps = { readonly [network in Network]?: NetworkApp | undefined }

export function openNetworks(apps: NetworkApps, installation: NetworkInstallation): Networks {
  const connectors = new Map<NetworkName, Connector>()
  for (const network of connectedNetworks) {
    const app = apps[network]
    if (app) connectors.set(network, guarded(openers[network](app, installation)))
  }
  return { connector: (network) => connectors.get(network) }
}

/** Whatever else goes wrong: what may have been sent is never sent again from here. */
const guarded = (connector: Connector): Connector => ({
  ...connector,
  async publish(actor, draft, save, progress) {
    if (progress?.stage !== 'committing') return connector.publish(actor, draft, save, progress)
    const sentence = `${connector.network}: the post may have been published already; search for it first.`
    throw new NetworkError(connector.network, { kind: 'unknownOutcome' }, sentence)
  },
})
