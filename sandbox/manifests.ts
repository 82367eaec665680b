import { manifest as Facebook } from './facebook/manifest.ts'
import { manifest as Instagram } from './instagram/manifest.ts'
import { manifest as LinkedIn } from './linkedin/manifest.ts'
import type { SandboxManifest } from './manifest.ts'
import { type Network, networks } from './state/rows.ts'
import { manifest as TikTok } from './tiktok/manifest.ts'
import { manifest as Twitter } from './x/manifest.ts'
import { manifest as YouTube } from './youtube/manifest.ts'

export const manifests: Record<Network, SandboxManifest> = { Facebook, Instagram, LinkedIn, Twitter, YouTube, TikTok }

const each = <Name extends keyof SandboxManifest>(name: Name) =>
  Object.fromEntries(networks.map((network) => [network, manifests[network][name]])) as Record<
    Network,
    SandboxManifest[Name]
  >

export const apps = each('app')
export const names = each('names')
export const limits = each('limits')
