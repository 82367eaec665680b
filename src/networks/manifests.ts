import type { NetworkManifest } from './connector/manifest.ts'
import { manifest as facebook } from './facebook/manifest.ts'
import { manifest as instagram } from './instagram/manifest.ts'
import { manifest as linkedin } from './linkedin/manifest.ts'
import { manifest as tiktok } from './tiktok/manifest.ts'
import { manifest as x } from './x/manifest.ts'
import { manifest as youtube } from './youtube/manifest.ts'

/** Every network the service can talk to. */
export const manifests = [facebook, instagram, linkedin, x, youtube, tiktok] as const

/** In the contract's spelling. */
export type Network = (typeof manifests)[number]['network']
export type NetworkCode = (typeof manifests)[number]['code']

/** A profile of these is a name only. */
const namesOnly = [
  { network: 'WeChat', number: 5 },
  { network: 'Xing', number: 6 },
] as const

export type NetworkName = Network | (typeof namesOnly)[number]['network']

export const connectedNetworks: readonly Network[] = manifests.map(({ network }) => network)

/** The networks a profile can belong to, in the contract's order. */
export const networkNames: readonly NetworkName[] = [...manifests, ...namesOnly]
  .toSorted((one, other) => one.number - other.number)
  .map(({ network }) => network)

/** Other spellings that callers use, and what they stand for. */
export const networkSpellings: { readonly [spelling: string]: Network } = Object.fromEntries(
  manifests.flatMap(({ network, spellings = [] }: NetworkManifest<Network>) =>
    spellings.map((spelling) => [spelling, network]),
  ),
)

const byNetwork = new Map<string, NetworkManifest<Network>>(manifests.map((manifest) => [manifest.network, manifest]))

export const manifestOf = (network: Network): NetworkManifest<Network> =>
  byNetwork.get(network) as NetworkManifest<Network>

export const isConnected = (network: string): network is Network => byNetwork.has(network)

/** Where people see a profile; empty where its network has no address that follows from what is known. */
export const profileUrl = ({ network, ...profile }: { network: NetworkName } & SeenProfile): string =>
  isConnected(network) ? manifestOf(network).profileUrl(profile) : ''

type SeenProfile = Parameters<NetworkManifest['profileUrl']>[0]

/** The network whose folder, settings and addresses have this name. */
export const networkOfCode = (code: string): Network | undefined =>
  manifests.find((manifest) => manifest.code === code)?.network
