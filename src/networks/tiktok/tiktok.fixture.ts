import { stranger } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor, sandboxNetworks } from '../../../tests/networks/sandbox-networks.ts'
import type { Draft, Progress } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { openTikTok } from './tiktok.ts'

/** TikTok as the sandbox plays it, a connector for it, and short ways to say things. */
export async function openTestTikTok() {
  const sandbox = await sandboxNetworks()
  await sandbox.control('/limits', { factor: 1000 })
  const tiktok = openTikTok(sandbox.app('TikTok'), sandbox.world)
  const actor = sandboxActor('TikTok')
  const fault = (operation: string, kind: string, more: object = {}) =>
    sandbox.control('/fault', { network: 'TikTok', operation, fault: kind, count: 1, ...more })
  const draft = (text: string, more: Partial<Draft> = {}): Draft => ({ text, media: [sandbox.media('mp4')], ...more })
  /** Publishes and waits until TikTok is ready with it. */
  const published = async (text: string, more: Partial<Draft> = {}) => {
    const placed = await tiktok.publish(actor, draft(text, more), async () => {})
    if (placed.state === 'done') return placed.remoteId
    await sandbox.advance(2000)
    const done = await tiktok.publish(actor, draft(text, more), async () => {}, placed.progress)
    if (done.state !== 'done') throw new Error('The post is not published.')
    return done.remoteId
  }
  /** Somebody outside comments a post, or answers a comment. */
  const commented = async (post: string, text: string, parentId?: string, from: object = stranger): Promise<string> =>
    (
      await sandbox.inject({
        network: 'TikTok',
        profile: actor.remoteId,
        kind: 'comment',
        postRemoteId: post,
        parentId,
        from,
        text,
      })
    ).remoteId
  return { ...sandbox, tiktok, actor, fault, draft, published, commented }
}

/** Keeps every progress it is given. */
export function checkpoints() {
  const kept: Progress[] = []
  const save = async (progress: Progress) => void kept.push(structuredClone(progress))
  return { kept, save }
}

/** The fault a call ends with. */
export async function faultOf(call: Promise<unknown>): Promise<NetworkError> {
  try {
    await call
  } catch (error) {
    if (error instanceof NetworkError) return error
    throw error
  }
  throw new Error('The call succeeded.')
}

/** The time a test says something was begun: long enough ago for TikTok to have listed it. */
export const before = () => new Date(Date.now() - 600_000)
