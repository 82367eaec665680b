import { createHmac } from 'node:crypto'
import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor, sandboxNetworks } from '../../../tests/networks/sandbox-networks.ts'
import { type Actor, NetworkError, type PushRequest } from '../connector/connector.ts'
import type { Draft, Progress, Receipt } from '../connector/draft.ts'
import type { NetworkApp } from '../connector/network-app.ts'
import { openTikTok } from './tiktok.ts'

/** A TikTok sandbox, a connector for it, and shortcuts for tests. */
export async function openTestTikTok() {
  const sandbox = await sandboxNetworks()
  // The connector's clock advances with the sandbox's while a post is awaited.
  let waitedMs = 0
  const fixture = { ...sandbox.world, clock: { now: () => new Date(Date.now() + waitedMs) } }
  await sandbox.control('/limits', { factor: 1000 })
  const tiktok = openTikTok(sandbox.app('TikTok'), fixture)
  const actor = sandboxActor('TikTok')
  const fault = (operation: string, kind: string, more: object = {}) =>
    sandbox.control('/fault', { network: 'TikTok', operation, fault: kind, count: 1, ...more })
  const draft = (text: string, more: Partial<Draft> = {}): Draft => ({ text, media: [sandbox.media('mp4')], ...more })
  /** Publishes and waits until TikTok has finished. */
  const published = async (text: string, more: Partial<Draft> = {}) => {
    const { remoteId } = await publishToEnd(draft(text, more))
    return remoteId
  }
  /** Publishes and repeats each step when it is due. */
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
  /** Changes the account's settings: `private`, `no-comments`, or both. */
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
  /** Another user comments on a post, or replies to a comment. */
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
  const open = (changes: Partial<NetworkApp>) => openTikTok({ ...sandbox.app('TikTok'), ...changes }, fixture)
  return { ...sandbox, tiktok, actor, fault, draft, published, publishToEnd, allow, open, commented }
}

/** Collects every saved progress. */
export function checkpoints() {
  const saved: Progress[] = []
  const save = async (progress: Progress) => void saved.push(structuredClone(progress))
  return { saved, save }
}

/** The error a request fails with. */
export async function faultOf(call: Promise<unknown>): Promise<NetworkError> {
  try {
    await call
  } catch (error) {
    if (error instanceof NetworkError) return error
    throw error
  }
  throw new Error('The call succeeded.')
}

/** A start time early enough for TikTok to have listed the post. */
export const before = () => new Date(Date.now() - 600_000)

export const secret = 'sandbox-tiktok-secret'
export const receivedAt = new Date('2026-11-20T10:00:00Z')
export const seconds = receivedAt.getTime() / 1000

/** A push signed as by TikTok. */
export function pushed(body: string | Uint8Array, { time = seconds, key = secret } = {}): PushRequest {
  const raw = typeof body === 'string' ? Buffer.from(body) : body
  const signature = createHmac('sha256', key).update(`${time}.`).update(raw).digest('hex')
  const headers = { 'tiktok-signature': `t=${time},s=${signature}` }
  return { method: 'POST', query: new URLSearchParams(), headers, raw, receivedAt }
}

export const pushBody = (event: string, content: string) =>
  pushed(JSON.stringify({ client_key: 'a', event, create_time: seconds, user_openid: '7100000000000000501', content }))
