import type { Actor } from './connector/actor.ts'
import type { AppSetup } from './connector/app-setup.ts'
import { type Meter, type Purpose, purposes } from './connector/budget.ts'
import type { Connector } from './connector/connector.ts'
import { NetworkError } from './connector/fault.ts'
import type { NetworkApp, NetworkInstallation, Usage } from './connector/network-app.ts'
import { refuseGated } from './content/draft-check.ts'
import { featuresOf } from './content/gates.ts'
import type { Feature } from './content/limits.ts'
import { setup as facebook, openFacebook } from './facebook/facebook.ts'
import { setup as instagram, openInstagram } from './instagram/instagram.ts'
import { setup as linkedin, openLinkedIn } from './linkedin/linkedin.ts'
import { connectedNetworks, type Network, type NetworkName } from './manifests.ts'
import { openTikTok, setup as tiktok } from './tiktok/tiktok.ts'
import { openX, setup as x } from './x/x.ts'
import { openYouTube, setup as youtube } from './youtube/youtube.ts'

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

/** Who accounts for calls, by what they are made for. */
interface NetworkAccounts {
  meter(network: Network, purpose: Purpose): Meter
  told(usage: Usage): void
}

export function openNetworks(
  apps: NetworkApps,
  installation: NetworkInstallation,
  accounts?: NetworkAccounts,
): Networks {
  const connectors = new Map<NetworkName, Connector>()
  for (const network of connectedNetworks) {
    const app = apps[network]
    if (!app) continue
    const connector = accounts
      ? metered((purpose) =>
          openers[network](app, { ...installation, report: accounts.told, meter: accounts.meter(network, purpose) }),
        )
      : openers[network](app, installation)
    connectors.set(network, guarded(connector))
  }
  return { connector: (network) => connectors.get(network) }
}

/** What the methods of a connector are called for; all others set something up. */
const methodsFor: { readonly [purpose in Purpose]?: readonly (keyof Connector)[] } = {
  publish: ['publish', 'findPost'],
  reply: ['reply', 'findReply', 'message', 'findMessage', 'like', 'remove'],
  inbox: ['fetchInbox', 'fetchComments', 'laterNames'],
  streams: ['fetchStream'],
  metrics: ['metrics', 'profile'],
}

/** One connector whose methods are each accounted for by their purpose. */
function metered(open: (purpose: Purpose) => Connector): Connector {
  const connector = open('setup')
  for (const purpose of purposes) {
    const own = open(purpose)
    for (const method of methodsFor[purpose] ?? []) Object.assign(connector, { [method]: own[method] })
  }
  return connector
}

/** Whatever else goes wrong: what may have been sent is never sent again from here, and what a profile is not allowed is not tried. */
function guarded(connector: Connector): Connector {
  const { network } = connector
  const refuse = (actor: Actor, ...features: readonly Feature[]) => {
    const capabilities = connector.capabilities(actor)
    for (const feature of features) refuseGated(network, capabilities[feature])
  }
  return {
    ...connector,
    async publish(actor, draft, save, progress) {
      if (progress?.stage === 'committing') {
        const sentence = `${network}: the post may have been published already; search for it first.`
        throw new NetworkError(network, { kind: 'unknownOutcome' }, sentence)
      }
      refuse(actor, ...featuresOf(draft))
      return connector.publish(actor, draft, save, progress)
    },
    async reply(actor, to, text, media) {
      refuse(actor, to.commentId === undefined ? 'firstComment' : 'reply')
      if (media.length > 0) refuse(actor, 'replyMedia')
      return connector.reply(actor, to, text, media)
    },
    async message(actor, to, text, media) {
      refuse(actor, 'directMessage')
      return connector.message(actor, to, text, media)
    },
    async like(actor, to) {
      refuse(actor, 'like')
      return connector.like(actor, to)
    },
    async remove(actor, remoteId) {
      refuse(actor, 'remove')
      return connector.remove(actor, remoteId)
    },
  }
}

const setups: { readonly [network in Network]: AppSetup } = {
  Facebook: facebook,
  Instagram: instagram,
  LinkedIn: linkedin,
  Twitter: x,
  YouTube: youtube,
  TikTok: tiktok,
}

/** What is known about registering an app with a network. */
export const setupOf = (network: Network): AppSetup => setups[network]
