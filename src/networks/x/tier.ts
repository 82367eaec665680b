import type { Actor } from '../actor.ts'
import type { NetworkApp } from '../network-app.ts'

/** What the account, or else the app, pays X for: most of what is possible hangs on it. */
export const tierOf = ({ options }: NetworkApp, { tier }: Actor): string => tier ?? options.tier ?? 'self-serve'
