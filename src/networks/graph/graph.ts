import type { Network } from '../network.ts'
import type { NetworkApp, NetworkWorld } from '../network-app.ts'
import type { MeaningRow } from './meanings.ts'

/** Meta's Graph API, as Facebook and Instagram speak it. */
export interface Graph {
  network: Network
  app: NetworkApp
  world: NetworkWorld
  meanings: readonly MeaningRow[]
}
