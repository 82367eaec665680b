import type { Clock } from '#kernel/clock.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Network } from '../manifests.ts'
import type { Meter } from './budget.ts'

/** The app that was registered with a network, and where the network is. */
export interface NetworkApp {
  clientId: string
  clientSecret: string
  apiVersion: string
  /** By what they are for: `api`, `login`, `upload`…; each may have a path. Nothing else is ever called. */
  hosts: { readonly [role: string]: string }
  /** What logins ask for, where somebody has set it. */
  scopes?: readonly string[] | undefined
  /** What only this network knows: a tier, a mode, a second key. */
  options: { readonly [name: string]: string | undefined }
}

/** What a connector works with. */
export interface NetworkInstallation {
  outbound: Outbound
  clock: Clock
  /** Of this service, which networks are told with every call. */
  version?: string | undefined
  /** Hears how much of an allowance is used up, after every answer that tells. */
  report?: ((usage: Usage) => void) | undefined
  /** Accounts for calls; without one they are made and not counted. */
  meter?: Meter | undefined
}

export interface Usage {
  network: Network
  scope: 'app' | 'actor' | 'endpoint'
  /** The profile, the endpoint or the budget it counts for. */
  of: string
  /** From 0 to 1. */
  used: number
  /** When it starts anew, where that is told. */
  until?: Date | undefined
}
