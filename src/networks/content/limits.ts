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
  /** How long its sides may be, whichever way it is turned. */
  sides?: { long: number; short: number }
  /** A moving picture has its own size, and stands alone where `alone` says so. */
  gif?: { maxBytes: number; alone: boolean }
}

/** Which files a network takes together. */
export interface MediaLimits {
  /** How many images; 0 where it takes none. */
  images: { max: number; rule?: ImageRule }
  /** How many videos. */
  videos: { max: number; rule?: VideoRule }
  /** Stands alone where `alone` says so. */
  document?: { mimes: readonly string[]; maxBytes: number; maxPages?: number; alone: boolean }
  /** Whether images and videos may stand beside each other. */
  mixesMedia: boolean
  /** How long the description of an image may be. */
  altText?: number
}

/** What a network takes. Data: a number that proves wrong is corrected in the network's own `manifest.ts`, nowhere else. */
export interface Limits extends MediaLimits {
  text: TextRule
  title?: TextRule
  hashtags?: number
  mentions?: number
  comment: TextRule
  message?: TextRule
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

/** It exists but needs something from the network; the reason is shown to the user. Some gates are open where the other person named the profile. */
export interface Gate {
  readonly gated: string
  readonly unless?: 'mentioned'
}

export type Capability = 'yes' | 'no' | Gate
export type Capabilities = { readonly [feature in Feature]: Capability }
