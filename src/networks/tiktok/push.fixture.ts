import { createHmac } from 'node:crypto'
import type { PushRequest } from '../connector/activity.ts'

export const secret = 'sandbox-tiktok-secret'
export const receivedAt = new Date('2026-11-20T10:00:00Z')
export const seconds = receivedAt.getTime() / 1000

/** A push as TikTok would sign it. */
export function pushed(body: string | Uint8Array, { time = seconds, key = secret } = {}): PushRequest {
  const raw = typeof body === 'string' ? Buffer.from(body) : body
  const signature = createHmac('sha256', key).update(`${time}.`).update(raw).digest('hex')
  const headers = { 'tiktok-signature': `t=${time},s=${signature}` }
  return { method: 'POST', query: new URLSearchParams(), headers, raw, receivedAt }
}

export const told = (event: string, content: string) =>
  pushed(JSON.stringify({ client_key: 'a', event, create_time: seconds, user_openid: '7100000000000000501', content }))
