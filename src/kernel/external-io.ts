import type { AppInspection } from './app-inspection.ts'
import { type Actor, change } from './change.ts'
import type { Context } from './context.ts'
import type { Files } from './files.ts'
import type { Installation } from './installation.ts'
import type { Outbound } from './outbound/outbound.ts'

/** Who asks, and what is outside: what may be waited for while no connection to the database is held. */
export interface ExternalIo extends Actor {
  /** The way to addresses somebody gave us. */
  readonly outbound: Outbound
  readonly files: Files
  /** The installation's apps at networks. */
  readonly apps: AppInspection
  /** The address of the service as others see it, without a slash at its end. */
  readonly publicUrl: string
  /** What short links start with, without a slash at its end. */
  readonly shortUrl: string
  /** One short step in the database, all or nothing; nothing outside can be reached from it. */
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
