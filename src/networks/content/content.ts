import type { Audience } from '../connector/draft.ts'
import type { Capabilities, Limits, MediaLimits } from './limits.ts'

/** A file, with what is known of it. */
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
  /** It goes out as it is; of the library's pictures the service makes one that fits. */
  isFinal?: boolean | undefined
}

/** What somebody wants to publish. */
export interface Content {
  text: string
  title?: string | undefined
  link?: { url: string } | undefined
  media: readonly ContentMedia[]
  audience?: Audience | undefined
  /** The post to share again. */
  reshareOf?: string | undefined
}

export const isImage = ({ type }: ContentMedia) => type === 'Image' || type === 'ImageUrl'
export const isVideo = ({ type }: ContentMedia) => type === 'Video'
export const isDocument = ({ type }: ContentMedia) => type === 'PDF'

/** What a network asks of what is posted there; functions stand only where it differs from others. */
export interface ContentRules {
  /** As people call it. */
  name: string
  /** Of every profile; some have more. */
  limits: Limits
  capabilities: Capabilities
  /** What is counted of a post, where that is not the text as it was written. */
  postText?(content: Content): string
  /** The most a post's text may count, where that depends on what goes with it. */
  postMax?(content: Content): number
  /** The title that goes out; nothing where none does. */
  title?(content: Content): string
  needsTitle?: boolean
  commentText?(text: string): string
  refusedInPost?: RefusedSigns
  refusedInComment?: RefusedSigns
  /** What may stand in a comment; without it what comes along is left out. */
  commentMedia?: MediaLimits
  /** What may go with a message; without it anything. */
  messageMedia?: MediaLimits
  /** For how many days after somebody wrote they can be answered; without it always. */
  messageDays?: number
  /** Messages need words even beside a file. */
  messageNeedsText?: boolean
  /** What is said where there are no likes, or posts cannot be removed. */
  missing?: { readonly like?: string; readonly remove?: string }
  /** What is wrong with an audience, where there are any. */
  audienceProblem?(audience: Audience): Problem | undefined
}

export interface RefusedSigns {
  pattern: RegExp
  what: string
}

/** A rule that is broken, in a sentence with the rule and the number. */
export interface Problem {
  sentence: string
  /** The part it is about; none when the network has nothing of the kind at all. */
  field?: string | undefined
  /** The profile is not allowed it, whatever it says. */
  isGate?: boolean
}
