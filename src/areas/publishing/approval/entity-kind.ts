import type { Context } from '#kernel/context.ts'
import type { IdKind } from '#kernel/ids.ts'

/** A kind of content that can wait for approval. */
export interface EntityKind {
  readonly idKind: IdKind
  /** Tells of one, whoever asks; nothing when it is gone. */
  describe(context: Context, id: string): Promise<Description | undefined>
  /** Holds one until the change is made; refuses what the caller may not see or nobody can change any more. */
  hold(context: Context, id: string): Promise<HeldEntity>
}

export interface Description {
  /** The campaign or board whose teams see it. */
  scopeId: string
  messageId: string
  postId: string
  storyId: string
  network: string
  /** What it says. */
  text: string
  /** When it is meant to go out, in words. */
  planned: string
}

/** What approval does to content. */
export interface HeldEntity {
  /** Nothing goes out from now on. */
  submit(): Promise<void>
  /** It goes out as it was planned. */
  approve(): Promise<void>
  reject(): Promise<void>
  /** It is a draft again, as if it had never been sent to approval. */
  release(): Promise<void>
}
