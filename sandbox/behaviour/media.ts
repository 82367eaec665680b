import { fetch } from 'undici'
import type { Call } from '../http/call.ts'
import { keyOf } from '../state/items.ts'
import type { Media, Network } from '../state/rows.ts'
import type { World } from '../state/world.ts'
import { sniff } from './sniff.ts'

interface Arrival {
  network: Network
  id: string
  profile: string
  bytes: Buffer
  alt?: string
  title?: string
}

/** Keeps what arrived; it is usable after the network's processing time. */
export function keepMedia(world: World, { bytes, ...arrival }: Arrival): Media {
  const seen = sniff(bytes)
  const readyAt = world.clock.now() + world.processing.delayMs(arrival.network, seen.mime)
  const failed = world.processing.failure(arrival.network)
  return world.media.put({
    ...arrival,
    ...seen,
    bytes: bytes.length,
    sha256: world.files.save(bytes),
    readyAt,
    ...(failed === undefined ? {} : { failed }),
  })
}

export function mediaOf(world: World, network: Network, id: string): Media | undefined {
  return world.media.get(keyOf(network, id))
}

export function isReady(call: Call, media: Media): boolean {
  return !call.notReady && media.readyAt <= call.world.clock.now()
}

/** The networks that pull media really do: a dead or slow address fails here as it would there. */
export async function pull(url: string): Promise<Buffer | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
    return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined
  } catch {
    return undefined
  }
}
