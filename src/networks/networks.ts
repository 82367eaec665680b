import { type Meter, type Purpose, purposes } from './connector/budget.ts'
import type { Actor, Connector } from './connector/connector.ts'
import { NetworkError } from './connector/connector.ts'
import type { AppSetup, NetworkApp, NetworkInstallation, Usage } from './connector/network-app.ts'
import type { Feature } from './content/content.ts'
import { rejectGated } from './content/draft-check.ts'
import { featuresOf } from './content/gates.ts'
import { setup as facebook, openFacebook } from './facebook/facebook.ts'
import { setup as instagram, openInstagram } from './instagram/instagram.ts'
import { setup as linkedin, openLinkedIn } from './linkedin/linkedin.ts'
import { connectedNetworks, type Network, type NetworkName } from './manifests.ts'
import { openTikTok, setup as tiktok } from './tiktok/tiktok.ts'
import { openX, setup as x } from './x/x.ts'
import { openYouTube, setup as youtube } from './youtube/youtube.ts'

/** Factories of connectors; separate from the manifests, which are also loaded by browsers. */
const openers: { [network in Network]: (app: NetworkApp, installation: NetworkInstallation) => Connector } = {
  Facebook: openFacebook,
  Instagram: openInstagram,
  LinkedIn: openLinkedIn,
  Twitter: openX,
  YouTube: openYouTube,
  TikTok: openTikTok,
}

export interface Networks {
  /** Undefined for networks without a connector or without a configured app. */
  connector(network: NetworkName): Connector | undefined
}

/** Registered apps; networks without one can't be connected. */
export type NetworkApps = { readonly [network in Network]?: NetworkApp | undefined }

/** Meters by purpose, and the receiver of reported usage. */
interface NetworkMetering {
  meter(network: Network, purpose: Purpose): Meter
  recordUsage(usage: Usage): void
}

export function openNetworks(
  apps: NetworkApps,
  installation: NetworkInstallation,
  metering?: NetworkMetering,
): Networks {
  const connectors = new Map<NetworkName, Connector>()
  for (const network of connectedNetworks) {
    const app = apps[network]
    if (!app) continue
    const connector = metering
      ? metered((purpose) =>
          openers[network](app, {
            ...installation,
            report: metering.recordUsage,
            meter: metering.meter(network, purpose),
          }),
        )
      : openers[network](app, installation)
    connectors.set(network, guarded(connector))
  }
  return { connector: (network) => connectors.get(network) }
}

/** Purpose of each connector method; all others are `setup`. */
const methodsFor: { readonly [purpose in Purpose]?: readonly (keyof Connector)[] } = {
  publish: ['publish', 'findPost'],
  reply: ['reply', 'findReply', 'message', 'findMessage', 'like', 'remove'],
  inbox: ['fetchInbox', 'fetchComments', 'laterNames'],
  streams: ['fetchStream'],
  metrics: ['metrics', 'profile'],
}

/** Meters each method of a connector by its purpose. */
function metered(open: (purpose: Purpose) => Connector): Connector {
  const connector = open('setup')
  for (const purpose of purposes) {
    const own = open(purpose)
    for (const method of methodsFor[purpose] ?? []) Object.assign(connector, { [method]: own[method] })
  }
  return connector
}

/** Never publishes again from stage `committing`, and rejects gated features before any request. */
function guarded(connector: Connector): Connector {
  const { network } = connector
  const rejectGatedFeatures = (actor: Actor, ...features: readonly Feature[]) => {
    const capabilities = connector.capabilities(actor)
    for (const feature of features) rejectGated(network, capabilities[feature])
  }
  return {
    ...connector,
    async publish(actor, draft, save, progress) {
      if (progress?.stage === 'committing') {
        const sentence = `${network}: the post may have been published already; search for it first.`
        throw new NetworkError(network, { kind: 'unknownOutcome' }, sentence)
      }
      rejectGatedFeatures(actor, ...featuresOf(draft))
      return connector.publish(actor, draft, save, progress)
    },
    async reply(actor, to, text, media) {
      rejectGatedFeatures(actor, to.commentId === undefined ? 'firstComment' : 'reply')
      if (media.length > 0) rejectGatedFeatures(actor, 'replyMedia')
      return connector.reply(actor, to, text, media)
    },
    async message(actor, to, text, media) {
      rejectGatedFeatures(actor, 'directMessage')
      return connector.message(actor, to, text, media)
    },
    async like(actor, to) {
      rejectGatedFeatures(actor, 'like')
      return connector.like(actor, to)
    },
    async remove(actor, remoteId) {
      rejectGatedFeatures(actor, 'remove')
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

export const setupOf = (network: Network): AppSetup => setups[network]
