import type { StreamQuery } from './connector/activity.ts'
import type { NetworkStreams, StreamType } from './connector/manifest.ts'
import { isConnected, manifestOf, manifests, type Network, type NetworkName } from './manifests.ts'

/** The networks that have streams. */
export const streamNetworks: readonly Network[] = manifests
  .filter((manifest) => 'streams' in manifest && manifest.streams)
  .map(({ network }) => network)

/** The streams of a network; nothing where it has none. */
export const streamsOf = (network: NetworkName): NetworkStreams | undefined =>
  isConnected(network) ? manifestOf(network).streams : undefined

/** A type as it is written in requests, with the network's prefix or without; nothing where the network has no such type. */
export function readStreamType({ prefix, types }: NetworkStreams, text: string): string | undefined {
  const written = text.toLowerCase()
  const plain = written.startsWith(`${prefix}.`) ? written.slice(prefix.length + 1) : written
  return Object.hasOwn(types, plain) ? plain : undefined
}

export const streamTypeOf = (network: NetworkName, type: string): StreamType | undefined =>
  streamsOf(network)?.types[type]

/** `tw.keyword`, as answers have it. */
export const shownStreamType = (network: NetworkName, type: string): string => `${streamsOf(network)?.prefix}.${type}`

/** What is asked of a connector. */
export function streamQuery(network: NetworkName, type: string, keyword: string): StreamQuery {
  const asks = streamTypeOf(network, type)?.asks
  return { type, ...(asks && { [asks.field]: keyword }) }
}
