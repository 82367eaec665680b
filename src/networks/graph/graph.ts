import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { Network } from '../manifests.ts'
import type { MeaningRow } from './meanings.ts'

/** Meta's Graph API, as Facebook and Instagram speak it. */
export interface Graph {
  network: Network
  app: NetworkApp
  installation: NetworkInstallation
  meanings: readonly MeaningRow[]
  /** Whether calls prove that they come from the app; graph.instagram.com knows no such proof. */
  hasProof: boolean
}
