import type { Audience } from '../connector/draft.ts'

export interface ContentMedia {
  type: 'Image' | 'Video' | 'ImageUrl' | 'PDF'
  name: string
  mime: string
  bytes: number
  width?: number | undefined
  height?: number | undefined
  seconds?: number | undefined
  framesPerSecond?: number | undefined
  videoCodec?: string | undefined
  audioCodec?: string | undefined
  pages?: number | undefined
  frames?: number | undefined
  alt?: string | undefined
  /** Sent unchanged; images from the library are converted to fit. */
  isFinal?: boolean | undefined
}

/** Content to publish. */
export interface Content {
  text: string
  title?: string | undefined
  link?: { url: string } | undefined
  media: readonly ContentMedia[]
  audience?: Audience | undefined
  /** Post to reshare. */
  reshareOf?: string | undefined
}

export const isImage = ({ type }: ContentMedia) => type === 'Image' || type === 'ImageUrl'
export const isVideo = ({ type }: ContentMedia) => type === 'Video'
export const isDocument = ({ type }: ContentMedia) => type === 'PDF'

/** Requirements of a network for content; optional functions override the common rule. */
export interface ContentRules {
  /** Display name. */
  name: string
  /** Limits of every profile; some profiles have higher ones. */
  limits: Limits
  capabilities: Capabilities
  /** The text that is counted, if it differs from the text as written. */
  postText?(content: Content): string
  /** Maximum length of a post's text, if it depends on the other content. */
  postMax?(content: Content): number
  /** The title that is sent; undefined if there is none. */
  title?(content: Content): string
  needsTitle?: boolean
  commentText?(text: string): string
  forbiddenInPost?: ForbiddenCharacters
  forbiddenInComment?: ForbiddenCharacters
  /** Media accepted in comments; without it, media is dropped. */
  commentMedia?: MediaLimits
  /** Media accepted in messages; without it, anything. */
  messageMedia?: MediaLimits
  /** Days after a person's last message during which a reply is allowed; without it, always. */
  messageDays?: number
  /** Messages need text even beside a file. */
  messageNeedsText?: boolean
  /** Error texts where likes or deleting posts aren't supported. */
  missing?: { readonly like?: string; readonly remove?: string }
  /** Problem with an audience, for networks that have audiences. */
  audienceProblem?(audience: Audience): Problem | undefined
}

export interface ForbiddenCharacters {
  pattern: RegExp
  what: string
}

/** A violated rule, as a sentence with the rule and its number. */
export interface Problem {
  sentence: string
  /** The field it concerns; undefined if the network doesn't support the feature at all. */
  field?: string | undefined
  /** The profile lacks a permission, independent of the content. */
  isGate?: boolean
}

export interface Range {
  min?: number
  max?: number
}

/** How a network counts text. */
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
  /** Maximum sides, independent of orientation. */
  sides?: { long: number; short: number }
  /** Limit of animated images; with `alone` they can't be combined with other files. */
  gif?: { maxBytes: number; alone: boolean }
}

/** Files a network accepts together. */
export interface MediaLimits {
  /** 0 where the network accepts none. */
  images: { max: number; rule?: ImageRule }
  videos: { max: number; rule?: VideoRule }
  /** With `alone` it can't be combined with other files. */
  document?: { mimes: readonly string[]; maxBytes: number; maxPages?: number; alone: boolean }
  /** Whether images and videos can be combined. */
  mixesMedia: boolean
  /** Maximum length of an image description. */
  altText?: number
}

/** Limits of a network. Corrections belong in the network's own `manifest.ts`. */
export interface Limits extends MediaLimits {
  text: TextRule
  title?: TextRule
  hashtags?: number
  mentions?: number
  comment: TextRule
  message?: TextRule
  /** A post needs at least one image or video. */
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

/** The feature exists but requires something from the network; the reason is shown to users. Some gates are open if the other person mentioned the profile. */
export interface Gate {
  readonly gated: string
  readonly unless?: 'mentioned'
}

export type Capability = 'yes' | 'no' | Gate
export type Capabilities = { readonly [feature in Feature]: Capability }
