import type { NetworkManifest, NetworkStreams, StreamQuery, StreamType } from './connector/manifest.ts'
import { manifest as facebook } from './facebook/manifest.ts'
import { manifest as instagram } from './instagram/manifest.ts'
import { manifest as linkedin } from './linkedin/manifest.ts'
import { manifest as tiktok } from './tiktok/manifest.ts'
import { manifest as x } from './x/manifest.ts'
import { manifest as youtube } from './youtube/manifest.ts'

export const manifests = [facebook, instagram, linkedin, x, youtube, tiktok] as const

/** As spelled in the API contract. */
export type Network = (typeof manifests)[number]['network']
export type NetworkCode = (typeof manifests)[number]['code']

/** Networks without a connector: profiles are names only. */
const namesOnly = [
  { network: 'WeChat', number: 5 },
  { network: 'Xing', number: 6 },
] as const

export type NetworkName = Network | (typeof namesOnly)[number]['network']

export const connectedNetworks: readonly Network[] = manifests.map(({ network }) => network)

/** Networks a profile can belong to, in the contract's order. */
export const networkNames: readonly NetworkName[] = [...manifests, ...namesOnly]
  .toSorted((one, other) => one.number - other.number)
  .map(({ network }) => network)

/** Alternative spellings accepted from callers. */
export const networkSpellings: { readonly [spelling: string]: Network } = Object.fromEntries(
  manifests.flatMap(({ network, spellings = [] }: NetworkManifest<Network>) =>
    spellings.map((spelling) => [spelling, network]),
  ),
)

const byNetwork = new Map<string, NetworkManifest<Network>>(manifests.map((manifest) => [manifest.network, manifest]))

export const manifestOf = (network: Network): NetworkManifest<Network> =>
  byNetwork.get(network) as NetworkManifest<Network>

export const isConnected = (network: string): network is Network => byNetwork.has(network)

/** Public URL of a profile; empty where it can't be derived. */
export const profileUrl = ({ network, ...profile }: { network: NetworkName } & SeenProfile): string =>
  isConnected(network) ? manifestOf(network).profileUrl(profile) : ''

type SeenProfile = Parameters<NetworkManifest['profileUrl']>[0]

/** The network of a folder, settings prefix or route segment. */
export const networkOfCode = (code: string): Network | undefined =>
  manifests.find((manifest) => manifest.code === code)?.network

export const streamNetworks: readonly Network[] = manifests
  .filter((manifest) => 'streams' in manifest && manifest.streams)
  .map(({ network }) => network)

/** Stream types of a network; undefined if it has none. */
export const streamsOf = (network: NetworkName): NetworkStreams | undefined =>
  isConnected(network) ? manifestOf(network).streams : undefined

/** Parses a type with or without the network's prefix; undefined if the network has no such type. */
export function readStreamType({ prefix, types }: NetworkStreams, text: string): string | undefined {
  const written = text.toLowerCase()
  const plain = written.startsWith(`${prefix}.`) ? written.slice(prefix.length + 1) : written
  return Object.hasOwn(types, plain) ? plain : undefined
}

export const streamTypeOf = (network: NetworkName, type: string): StreamType | undefined =>
  streamsOf(network)?.types[type]

/** `tw.keyword`, as in responses. */
export const streamTypeName = (network: NetworkName, type: string): string => `${streamsOf(network)?.prefix}.${type}`

export function streamQuery(network: NetworkName, type: string, keyword: string): StreamQuery {
  const parameter = streamTypeOf(network, type)?.parameter
  return { type, ...(parameter && { [parameter.field]: keyword }) }
}
