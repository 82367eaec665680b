import type { Clock } from '#kernel/clock.ts'
import { samples } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor, sandboxNetworks } from '../../../tests/networks/sandbox-networks.ts'
import { NetworkError } from '../connector/connector.ts'
import type { Draft, MediaRef, Progress, Receipt } from '../connector/draft.ts'
import { openYouTube } from './youtube.ts'

/** A channel in its own sandbox, its connector, and the saved progress. */
export async function youtubeChannel(options: { clock?: Clock } = {}) {
  const sandbox = await sandboxNetworks(options)
  const connector = openYouTube(sandbox.app('YouTube'), sandbox.world)
  const actor = sandboxActor('YouTube')
  const saved: Progress[] = []
  const save = async (progress: Progress) => void saved.push(structuredClone(progress))
  return {
    ...sandbox,
    connector,
    actor,
    saved,
    save,
    /** Publishes to the end; the sandbox processes videos for a second. */
    async publish(draft: Draft, progress?: Progress): Promise<Receipt> {
      const step = await connector.publish(actor, draft, save, progress)
      if (step.state === 'done') return step
      saved.push(step.progress)
      await sandbox.advance(step.checkAfterMs)
      return this.publish(draft, step.progress)
    },
    posts: async () => await sandbox.ledger('network=YouTube&kind=post'),
    fault: (operation: string, fault: string, more: object = {}) =>
      sandbox.control('/fault', { network: 'YouTube', operation, fault, ...more }),
    inject: (more: object) =>
      sandbox.inject({ network: 'YouTube', profile: actor.remoteId, kind: 'comment', from: reader, ...more }),
  }
}

export const reader = { id: 'UCrobinReader000000000042', name: 'Robin Reader', username: 'robinreads' }

let films = 0

/** A unique video: YouTube rejects duplicates. */
export function film(size = 1000): MediaRef {
  films += 1
  const bytes = Buffer.concat([samples.mp4, Buffer.from(`film ${films}`), Buffer.alloc(size, films)])
  return {
    id: `026film${films}`,
    mime: 'video/mp4',
    bytes: bytes.length,
    publicUrl: 'https://example.com/film.mp4',
    name: 'film.mp4',
    async *open(from = 0, to = bytes.length) {
      // In chunks, as read from disk.
      for (let at = from; at < to; at += 1024 * 1024) yield bytes.subarray(at, Math.min(at + 1024 * 1024, to))
    },
  }
}

/** The error of a request, without the stack. */
export async function problemOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (thrown) => thrown,
  )
  if (!(error instanceof NetworkError)) throw error ?? new Error('It went well.')
  const { fault, message, remote } = error
  return { fault, message, remote }
}
