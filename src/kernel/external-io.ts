import type { AppInspection } from './app-inspection.ts'
import { type Actor, change } from './change.ts'
import type { Context } from './context.ts'
import type { Files, Installation } from './installation.ts'
import type { Outbound } from './outbound/outbound.ts'

/** The caller and the external services, which may be awaited only while no database connection is held. */
export interface ExternalIo extends Actor {
  /** HTTP client for user-supplied URLs. */
  readonly outbound: Outbound
  readonly files: Files
  /** The installation's apps at networks. */
  readonly apps: AppInspection
  /** Public URL of the service, without a trailing slash. */
  readonly publicUrl: string
  /** Prefix of short links, without a trailing slash. */
  readonly shortUrl: string
  /** One short transaction; external I/O is not accessible from it. */
  readonly step: Step
}

export type Step = <Result>(work: (context: Context) => Promise<Result>) => Promise<Result>

export function externalIoOf(installation: Installation, actor: Actor): ExternalIo {
  const { outbound, files, apps = noApps, publicUrl, shortUrl } = installation
  const step: Step = (work) => change(installation, { ...actor, auditEntry: undefined }, work)
  return { ...actor, outbound, files, apps, publicUrl: publicUrl(), shortUrl: shortUrl(), step }
}

const noApps: AppInspection = {
  publicUrl: undefined,
  showsVerifyTokens: async () => false,
  facts: () => {
    throw new Error('This process knows no apps at networks.')
  },
  check: async () => [],
}
