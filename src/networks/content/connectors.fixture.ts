import { systemClock } from '#kernel/clock.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import { sandboxApps } from '#main/process/network-apps.ts'
import type { Actor } from '../connector/connector.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Draft, MediaRef } from '../connector/draft.ts'
import { manifestOf, type Network } from '../manifests.ts'
import { openNetworks } from '../networks.ts'
import { type Content, type ContentMedia, isImage } from './content.ts'
import { scaleToFit } from './media-check.ts'

/** Whether the connector starts publishing it, after the service has converted images that don't fit. */
export async function isAcceptedByConnector(network: Network, { text, title, link, media }: Content): Promise<boolean> {
  const draft: Draft = {
    text,
    title,
    link: link && { ...link, title: 'Robots', description: 'They dance', imageUrl: 'https://acme.example/robots.jpg' },
    media: media.map((file) => sentFile(network, file)),
  }
  try {
    await networks.connector(network)?.publish(actorOn(network), draft, begin)
  } catch (error) {
    if (error === begun) return true
    if (error instanceof NetworkError && error.fault.kind === 'permanent') return false
    throw error
  }
  throw new Error(`${network} has published without a call.`)
}

/** Thrown by the first file opened, the first progress saved or the first request sent. */
const begun = new Error('It would be published.')
const begin = async (): Promise<never> => {
  throw begun
}
const outbound: Outbound = {
  check: begin,
  send: begin,
  stream: begin,
  checkHost: begin,
  connect: begin,
  aliasesOf: begin,
  close: async () => undefined,
}
const networks = openNetworks(sandboxApps('http://127.0.0.1'), { outbound, clock: systemClock })

const actorOn = (network: Network): Actor => ({
  network,
  kind: manifestOf(network).profileKinds[0] ?? 'account',
  remoteId: '1',
  username: 'acme',
  secret: { accessToken: 'none', scopes: [] },
})

function sentFile(network: Network, file: ContentMedia): MediaRef {
  const { mime, bytes, width, height, seconds, frames, name } = file
  const durationMs = seconds === undefined ? undefined : seconds * 1000
  const sent = { id: 'a', mime, bytes, name, width, height, durationMs, publicUrl: 'https://acme.example/a', open }
  const { rule } = manifestOf(network).limits.images
  if (!isImage(file) || !rule || (frames ?? 1) > 1) return sent
  const { maxPixels = Number.POSITIVE_INFINITY } = rule
  const fits = scaleToFit(rule.sides, width ?? 1, height ?? 1) === 1
  const isSmall = bytes <= rule.maxBytes && (width ?? 0) * (height ?? 0) <= maxPixels && fits
  if (rule.mimes.includes(mime) && isSmall) return sent
  return { ...sent, ...scaled(width, height), mime: 'image/jpeg', bytes: rule.maxBytes }
}

const scaled = (width = 1000, height = 1000) => ({ width: 1000, height: Math.round((1000 * height) / width) })

// biome-ignore lint/correctness/useYield: throws before anything is read
async function* open(): AsyncGenerator<Uint8Array> {
  throw begun
}
