import type { Json } from '../wire/json.ts'

export interface MediaRef {
  id: string
  mime: string
  bytes: number
  /** Where the network can fetch it. */
  publicUrl: string
  name?: string | undefined
  alt?: string | undefined
  width?: number | undefined
  height?: number | undefined
  durationMs?: number | undefined
  /** The bytes from one position to another, the end not included; all of them unless told. */
  open(from?: number, to?: number): AsyncIterable<Uint8Array>
}

export const isVideo = ({ mime }: Pick<MediaRef, 'mime'>) => mime.startsWith('video/')

export const facets = ['CompanySize', 'Industry', 'Function', 'Seniority', 'Geography', 'Language'] as const
export type Facet = (typeof facets)[number]
/** Who shall see a post; within a facet any value, across facets all. */
export type Audience = { [facet in Facet]?: readonly string[] | undefined }

export interface Draft {
  text: string
  title?: string | undefined
  media: readonly MediaRef[]
  link?: { url: string; title: string; description: string; imageUrl: string } | undefined
  audience?: Audience | undefined
  /** The post to share again (LinkedIn). */
  reshareOf?: string | undefined
}

export interface Receipt {
  remoteId: string
  remoteUrl?: string | undefined
  at: Date
  /** What a person should know although it is there: that nobody else can see it, for example. */
  notice?: string | undefined
}

/** By what the network knows a post, and where people see it. */
export type PostName = Pick<Receipt, 'remoteId' | 'remoteUrl'>

/**
 * How far publishing has come: small, and without secrets, since it is kept beside the post. `committing` is written before the
 * one call that makes the post visible; whoever finds it there without a receipt must search first, never send.
 */
export interface Progress {
  stage: 'uploading' | 'processing' | 'committing' | 'committed'
  [detail: string]: Json
}

export type Step = ({ state: 'done' } & Receipt) | { state: 'pending'; progress: Progress; checkAfterMs: number }

/** Keeps the progress; awaited before every call that cannot be repeated. */
export type Checkpoint = (progress: Progress) => Promise<void>

/** What became of something whose answer got lost. */
export type Found = ({ state: 'found' } & Receipt) | { state: 'absent' } | { state: 'undecidable'; why: string }

/** What is answered or liked: a post, or a comment under it. */
export interface Target {
  postId: string
  commentId?: string | undefined
  /** The top-level comment of the thread, where networks know two levels only. */
  rootCommentId?: string | undefined
}

/** To whom a direct message goes. */
export interface Correspondent {
  personId: string
  threadId?: string | undefined
  /** When the other side last wrote: networks allow answers for a while only. */
  lastInboundAt?: Date | undefined
}
