import type { Connector } from '#networks/connector/connector.ts'
import type { NetworkApp, NetworkInstallation } from '#networks/connector/network-app.ts'
import type { Network } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'

export const openConnector = (
  network: Network,
  { app, world }: { app: (network: Network) => NetworkApp; world: NetworkInstallation },
): Connector => openNetworks({ [network]: app(network) }, world).connector(network) as Connector
