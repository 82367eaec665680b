import type { Json } from '../wire/json.ts'

export interface Person {
  id: string
  name?: string | undefined
  username?: string | undefined
  picture?: string | undefined
}

/** Something that happened on a network. */
export interface Activity {
  /** The same for the same happening, however often and by whichever way it is heard of. */
  dedupeKey: string
  kind: 'post' | 'comment' | 'reply' | 'mention' | 'message' | 'reaction' | 'share' | 'echo' | 'removed' | 'revoked'
  /** The profile it concerns. */
  actorRemoteId: string
  /** Its own id on the network: of the post, the comment, the message. */
  remoteId: string
  from?: Person | undefined
  postId?: string | undefined
  /** The push may name another post than the one it stands under: `postOfComment` knows. */
  isPostUnsure?: true
  parentCommentId?: string | undefined
  threadId?: string | undefined
  text?: string | undefined
  media?: string[] | undefined
  url?: string | undefined
  at: Date
  /** When its words were changed since; then it is told with the words it has now. */
  edited?: Date | undefined
  raw: Json
}

export interface Page<Item> {
  items: Item[]
  /** Where the next page begins; nothing at the end. */
  cursor?: string | undefined
  /** The newest that was seen, for a network that can be asked for what came later; it is kept once all pages were read. */
  marker?: string | undefined
}

/** Numbers of one post so far; absent where the network has none. */
export interface Metrics {
  impressions?: number | undefined
  reach?: number | undefined
  likes?: number | undefined
  comments?: number | undefined
  shares?: number | undefined
  clicks?: number | undefined
  saves?: number | undefined
  views?: number | undefined
}

export interface StreamQuery {
  /** As the contract names it for the network: `mention`, `keyword`, `page.tags`… */
  type: string
  keyword?: string | undefined
  listId?: string | undefined
  username?: string | undefined
}

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
