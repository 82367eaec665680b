import type { Activity } from './activity.ts'

/** A call of a network to us. */
export interface PushRequest {
  method: 'GET' | 'POST'
  query: URLSearchParams
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  raw: Uint8Array
  receivedAt: Date
}

/** A refusal carries the status its network expects: hubs of YouTube's kind are told 202 whatever they sent. */
export type PushVerdict =
  | { ok: true; answer: { status: number; type: string; body: string }; items: Activity[] }
  | { ok: false; status: 202 | 400 | 401 | 403; reason: string }
