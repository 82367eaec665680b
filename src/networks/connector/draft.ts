import type { Json } from '../http/json.ts'

export interface MediaRef {
  id: string
  mime: string
  bytes: number
  /** URL the network can fetch the file from. */
  publicUrl: string
  name?: string | undefined
  alt?: string | undefined
  width?: number | undefined
  height?: number | undefined
  durationMs?: number | undefined
  /** Bytes from `from` up to, not including, `to`; the whole file by default. */
  open(from?: number, to?: number): AsyncIterable<Uint8Array>
}

export const isVideo = ({ mime }: Pick<MediaRef, 'mime'>) => mime.startsWith('video/')

export const facets = ['CompanySize', 'Industry', 'Function', 'Seniority', 'Geography', 'Language'] as const
export type Facet = (typeof facets)[number]
/** Target audience of a post: any value within a facet, all facets together. */
export type Audience = { [facet in Facet]?: readonly string[] | undefined }

export interface Draft {
  text: string
  title?: string | undefined
  media: readonly MediaRef[]
  link?: { url: string; title: string; description: string; imageUrl: string } | undefined
  audience?: Audience | undefined
  /** Post to reshare (LinkedIn). */
  reshareOf?: string | undefined
}

export interface Receipt {
  remoteId: string
  remoteUrl?: string | undefined
  at: Date
  /** A remark about a successful post, for example that it is not public. */
  notice?: string | undefined
}

/** Id and URL of a post on its network. */
export type PostName = Pick<Receipt, 'remoteId' | 'remoteUrl'>

/**
 * Progress of publishing: small and without secrets, since it is stored with the post. `committing` is saved before the one
 * request that makes the post visible; a worker that finds it without a receipt must look the post up and never resend it.
 */
export interface Progress {
  stage: 'uploading' | 'processing' | 'committing' | 'committed'
  [detail: string]: Json
}

export type Step = ({ state: 'done' } & Receipt) | { state: 'pending'; progress: Progress; checkAfterMs: number }

/** Saves the progress; awaited before every request that can't be repeated. */
export type Checkpoint = (progress: Progress) => Promise<void>

/** Result of looking up a send whose response was lost. */
export type Found = ({ state: 'found' } & Receipt) | { state: 'absent' } | { state: 'undecidable'; why: string }

/** The post or comment that is replied to or liked. */
export interface Target {
  postId: string
  commentId?: string | undefined
  /** Top-level comment of the thread, for networks with two levels. */
  rootCommentId?: string | undefined
}

/** Recipient of a direct message. */
export interface Correspondent {
  personId: string
  threadId?: string | undefined
  /** Time of the recipient's last message: networks limit how long a reply is allowed. */
  lastInboundAt?: Date | undefined
}
