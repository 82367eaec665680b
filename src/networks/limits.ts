export interface Range {
  min?: number
  max?: number
}

/** How a network counts a text. */
export type TextUnit = 'utf16' | 'codepoint' | 'utf8' | 'x-weighted'

export interface TextRule {
  max: number
  unit: TextUnit
}

export interface VideoRule {
  mimes: readonly string[]
  bytes: Range
  seconds: Range
  width?: Range
  height?: Range
  /** Width divided by height. */
  aspect?: Range
  framesPerSecond?: Range
  videoCodecs?: readonly string[]
  audioCodecs?: readonly string[]
}

export interface ImageRule {
  mimes: readonly string[]
  maxBytes: number
  aspect?: Range
  width?: Range
  maxPixels?: number
  /** A moving picture has its own size, and stands alone where `alone` says so. */
  gif?: { maxBytes: number; alone: boolean }
}

/** What a network takes. Data: a number that proves wrong is corrected in the network's own `limits.ts`, nowhere else. */
export interface Limits {
  text: TextRule
  title?: TextRule
  hashtags?: number
  mentions?: number
  comment: TextRule
  message?: TextRule
  altText?: number
  /** How many images one post may carry; 0 where it takes none. */
  images: { max: number; rule?: ImageRule }
  /** How many videos. */
  videos: { max: number; rule?: VideoRule }
  document?: { mimes: readonly string[]; maxBytes: number; maxPages?: number }
  /** Whether images and videos may stand in one post. */
  mixesMedia: boolean
  /** A post must carry at least one image or video. */
  needsMedia: boolean
}

export type Feature =
  | 'text'
  | 'link'
  | 'image'
  | 'multiImage'
  | 'video'
  | 'document'
  | 'firstComment'
  | 'reply'
  | 'threadedReply'
  | 'replyMedia'
  | 'directMessage'
  | 'like'
  | 'remove'
  | 'audience'
  | 'reshare'
  | 'push'
  | 'postMetrics'
  | 'followers'

/** yes, no, or gated: it exists but needs something from the network; the reason is shown to the user. */
export type Capability = 'yes' | 'no' | { readonly gated: string }
export type Capabilities = { readonly [feature in Feature]: Capability }
