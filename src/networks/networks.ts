import type { Connector } from './connector.ts'
import { openFacebook } from './facebook/facebook.ts'
import { NetworkError } from './fault.ts'
import { openInstagram } from './instagram/instagram.ts'
import { openLinkedIn } from './linkedin/linkedin.ts'
import { type Network, type NetworkName, networkNames } from './network.ts'
import type { NetworkApp, NetworkWorld } from './network-app.ts'
import { openTikTok } from './tiktok/tiktok.ts'
import { openX } from './x/x.ts'
import { openYouTube } from './youtube/youtube.ts'

/** The networks this installation talks to. */
export interface Networks {
  /** Nothing for a network that is a name only, or that this installation has no app for. */
  connector(network: NetworkName): Connector | undefined
}

/** The apps that were registered with the networks; those without one cannot be connected. */
export type NetworkApps = { readonly [network in Network]?: NetworkApp | undefined }

export function openNetworks(apps: NetworkApps, world: NetworkWorld): Networks {
  const connectors = new Map<NetworkName, Connector>()
  for (const network of networkNames) {
    if (!(network in openers)) continue
    const app = apps[network as Network]
    if (app) connectors.set(network, guarded(openers[network as Network](app, world)))
  }
  return { connector: (network) => connectors.get(network) }
}

const openers: { [network in Network]: (app: NetworkApp, world: NetworkWorld) => Connector } = {
  Facebook: openFacebook,
  Instagram: openInstagram,
  LinkedIn: openLinkedIn,
  Twitter: openX,
  YouTube: openYouTube,
  TikTok: openTikTok,
}

/** Whatever else goes wrong: what may have been sent is never sent again from here. */
const guarded = (connector: Connector): Connector => ({
  ...connector,
  async publish(actor, draft, save, progress) {
    if (progress?.stage !== 'committing') return connector.publish(actor, draft, save, progress)
    const sentence = `${connector.network}: the post may have been published already; look for it first.`
    throw new NetworkError(connector.network, { kind: 'unknownOutcome' }, sentence)
  },
})
