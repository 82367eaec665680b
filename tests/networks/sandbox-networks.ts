import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '#kernel/clock.ts'
import { systemClock } from '#kernel/clock.ts'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { networkApps, sandboxApps, sandboxHosts } from '#main/process/network-apps.ts'
import { readSettings } from '#main/settings/settings.ts'
import type { Uses } from '#networks/connector/budget.ts'
import type { Actor, Connector } from '#networks/connector/connector.ts'
import type { MediaRef } from '#networks/connector/draft.ts'
import type { NetworkApp, Usage } from '#networks/connector/network-app.ts'
import { manifestOf, type Network } from '#networks/manifests.ts'
import { samples, testSandbox } from '../../sandbox/sandbox.fixture.ts'
import { seeds } from '../../sandbox/state/profiles.ts'

/** A separate sandbox with the dependencies of connectors, and a server from which its networks fetch media. */
export async function sandboxNetworks(options: { clock?: Clock } = {}) {
  const sandbox = await testSandbox(options)
  const files = await serveFiles()
  const outbound = openOutbound({ allow: ['127.0.0.0/8'] })
  const usages: Usage[] = []
  const spent: Uses[] = []
  const meter = { admit: () => undefined, spent: (_: string, uses: Uses) => void spent.push(uses) }
  const report = (usage: Usage) => void usages.push(usage)
  const world = { outbound, clock: options.clock ?? systemClock, report, meter }
  return {
    ...sandbox,
    world,
    usages,
    spent,
    app: (network: Network) => sandboxApps(sandbox.url)[network],
    /** Enters the webhook in the dashboard, as operators do where the network has no API for it. */
    async enterWebhook({ network, webhookSetup }: Connector, callback: string, login: Network = network) {
      const { isEntered, ...setup } = webhookSetup?.(callback) ?? { isEntered: false }
      if (isEntered) await sandbox.control('/dashboard', { network, login, ...setup })
    },
    appOf: (network: Network, environment: NodeJS.ProcessEnv) => configuredApp(network, environment, sandbox.url),
    media: (name: keyof typeof samples, alt?: string) => mediaRef(files.url, name, alt),
    async close() {
      await outbound.close()
      await files.close()
      await sandbox.close()
    },
  }
}

/** The app configured by settings, with its hosts replaced by the sandbox. */
function configuredApp(network: Network, environment: NodeJS.ProcessEnv, url: string): NetworkApp {
  const app = networkApps(readSettings(environment))[network]
  if (!app) throw new Error(`These settings make no app for ${network}.`)
  return { ...app, hosts: sandboxHosts(app.hosts, url) }
}

/** An initial profile of the sandbox. */
export function sandboxActor(network: Network, kind?: Actor['kind']): Actor {
  const { profileKinds, sandbox } = manifestOf(network)
  const wanted = kind ?? profileKinds[0]
  const seed = seeds.find((made) => made.network === network && made.kind === wanted)
  if (!seed) throw new Error(`The sandbox begins without a ${wanted} on ${network}.`)
  const { id: remoteId, username } = seed
  const name = `sandbox-${network.toLowerCase()}-${remoteId}`
  const secret = { accessToken: `${name}-access`, refreshToken: `${name}-refresh`, scopes: [] }
  return { network, kind: seed.kind, remoteId, username, tier: sandbox.options?.tier, secret }
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

/** LinkedIn rejects videos under 75 KB. */
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
