import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor, sandboxNetworks } from '../../../tests/networks/sandbox-networks.ts'
import type { Actor } from '../connector/actor.ts'
import type { Draft, Progress, Receipt } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { openTikTok } from './tiktok.ts'

/** TikTok as the sandbox plays it, a connector for it, and short ways to say things. */
export async function openTestTikTok() {
  const sandbox = await sandboxNetworks()
  // The connector's clock follows the sandbox's while a post is waited for.
  let waitedMs = 0
  const world = { ...sandbox.world, clock: { now: () => new Date(Date.now() + waitedMs) } }
  await sandbox.control('/limits', { factor: 1000 })
  const tiktok = openTikTok(sandbox.app('TikTok'), world)
  const actor = sandboxActor('TikTok')
  const fault = (operation: string, kind: string, more: object = {}) =>
    sandbox.control('/fault', { network: 'TikTok', operation, fault: kind, count: 1, ...more })
  const draft = (text: string, more: Partial<Draft> = {}): Draft => ({ text, media: [sandbox.media('mp4')], ...more })
  /** Publishes and waits until TikTok is ready with it. */
  const published = async (text: string, more: Partial<Draft> = {}) => {
    const { remoteId } = await publishToEnd(draft(text, more))
    return remoteId
  }
  /** Publishes and asks again whenever it is time to. */
  const publishToEnd = async (post: Draft, as: Actor = actor): Promise<Receipt & { waitedMs: number }> => {
    let progress: Progress | undefined
    waitedMs = 0
    try {
      for (let step = 0; step < 40; step += 1) {
        const result = await tiktok.publish(as, post, async () => {}, progress)
        if (result.state === 'done') return { ...result, waitedMs }
        progress = JSON.parse(JSON.stringify(result.progress))
        waitedMs += result.checkAfterMs
        await sandbox.advance(result.checkAfterMs)
      }
      throw new Error('The post is not published.')
    } finally {
      waitedMs = 0
    }
  }
  /** Changes what the account allows: `private`, `no-comments`, or both. */
  const allow = (tier: string) =>
    sandbox.control('/profile', {
      network: 'TikTok',
      id: actor.remoteId,
      name: 'Northwind Outdoor',
      username: actor.username,
      tier,
      accessToken: actor.secret.accessToken,
      refreshToken: actor.secret.refreshToken,
    })
  /** Somebody outside comments a post, or answers a comment. */
  const commented = async (
    post: string,
    text: string,
    parentId?: string,
    from: object = simulatedUser,
  ): Promise<string> =>
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
  const open = (changes: Partial<NetworkApp>) => openTikTok({ ...sandbox.app('TikTok'), ...changes }, world)
  return { ...sandbox, tiktok, actor, fault, draft, published, publishToEnd, allow, open, commented }
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
