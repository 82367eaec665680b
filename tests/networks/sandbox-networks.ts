import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '#kernel/clock.ts'
import { systemClock } from '#kernel/clock.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { sandboxApps } from '#main/network-apps.ts'
import type { Actor } from '#networks/actor.ts'
import type { MediaRef } from '#networks/draft.ts'
import type { Network } from '#networks/network.ts'
import type { Usage } from '#networks/network-app.ts'
import { samples, testSandbox } from '../../sandbox/sandbox.fixture.ts'

/** A sandbox of its own, what a connector needs to reach it, and a place its networks can fetch media from. */
export async function sandboxNetworks(options: { clock?: Clock } = {}) {
  const sandbox = await testSandbox(options)
  const files = await serveFiles()
  const outbound = openOutbound({ allow: ['127.0.0.0/8'] })
  const usages: Usage[] = []
  const world = { outbound, clock: options.clock ?? systemClock, report: (usage: Usage) => void usages.push(usage) }
  return {
    ...sandbox,
    world,
    usages,
    app: (network: Network) => sandboxApps(sandbox.url)[network],
    media: (name: keyof typeof samples, alt?: string) => mediaRef(files.url, name, alt),
    async close() {
      await outbound.close()
      await files.close()
      await sandbox.close()
    },
  }
}

/** The profiles a new sandbox has. */
export function sandboxActor(network: Network, kind?: Actor['kind']): Actor {
  const [standard, remoteId, username] = (
    {
      Facebook: ['page', '100200300400501', 'northwindoutdoor'],
      Instagram: ['account', '17841400000000501', 'northwind.outdoor'],
      LinkedIn: kind === 'member' ? ['member', 'aDaM4demo1', 'ada-marsh'] : ['page', '2414183', 'northwind-outdoor'],
      Twitter: ['account', '1500000000000000501', 'northwindoutdoor'],
      YouTube: ['channel', 'UCsandboxNorthwindOut501', 'northwindoutdoor'],
      TikTok: ['account', '7100000000000000501', 'northwindoutdoor'],
    } satisfies { [network in Network]: string[] }
  )[network] as [Actor['kind'], string, string]
  const name = `sandbox-${network.toLowerCase()}-${remoteId}`
  const tier = network === 'Twitter' ? 'enterprise' : undefined
  const secret = { accessToken: `${name}-access`, refreshToken: `${name}-refresh`, scopes: [] }
  return { network, kind: kind ?? standard, remoteId, username, tier, secret }
}

const mimes = { jpeg: 'image/jpeg', png: 'image/png', gif: 'image/gif', pdf: 'application/pdf', mp4: 'video/mp4' }

function mediaRef(url: string, name: keyof typeof samples, alt?: string): MediaRef {
  const bytes = bytesOf(name)
  return {
    id: `026${name}`,
    mime: mimes[name as keyof typeof mimes] ?? 'video/mp4',
    bytes: bytes.length,
    publicUrl: `${url}/${name}`,
    name: `sample.${name}`,
    alt,
    async *open(from = 0, to = bytes.length) {
      yield bytes.subarray(from, to)
    },
  }
}

/** LinkedIn takes no video under 75 KB. */
const bytesOf = (name: keyof typeof samples) =>
  name === 'mp4' ? Buffer.concat([samples.mp4, Buffer.alloc(100_000)]) : samples[name]

async function serveFiles() {
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1) as keyof typeof samples
    if (!(name in samples)) return response.writeHead(404).end()
    return response.end(bytesOf(name))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
