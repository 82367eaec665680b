import { NetworkError } from '../fault.ts'
import type { TikTokCalls } from './calls.ts'

/** One address for the whole app; it holds until another is given. */
export async function subscribePush(calls: TikTokCalls, callback: string): Promise<Record<string, never>> {
  await subscribe(calls, 'COMMENT', callback)
  try {
    await subscribe(calls, 'BRAND_MENTION', callback)
  } catch (error) {
    // Mentions need a permission of their own, and comments are told without it.
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent') throw error
  }
  return {}
}

const subscribe = ({ app, asApp }: TikTokCalls, event_type: string, callback_url: string) =>
  asApp('business/webhook/update', { app_id: app.clientId, secret: app.clientSecret, event_type, callback_url })
