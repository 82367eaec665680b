import type { AppSetup } from './connector/app-setup.ts'
import { setup as facebook } from './facebook/setup.ts'
import { setup as instagram } from './instagram/setup.ts'
import { setup as linkedin } from './linkedin/setup.ts'
import type { Network } from './manifests.ts'
import { setup as tiktok } from './tiktok/setup.ts'
import { setup as x } from './x/setup.ts'
import { setup as youtube } from './youtube/setup.ts'

const setups: { readonly [network in Network]: AppSetup } = {
  Facebook: facebook,
  Instagram: instagram,
  LinkedIn: linkedin,
  Twitter: x,
  YouTube: youtube,
  TikTok: tiktok,
}

/** What is known about registering an app with a network. */
export const setupOf = (network: Network): AppSetup => setups[network]
