/** A file of the library, with what is known of it. */
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
}

/** What somebody wants to publish. */
export interface Content {
  text: string
  title?: string | undefined
  link?: { url: string } | undefined
  media: readonly ContentMedia[]
}

export const isImage = ({ type }: ContentMedia) => type === 'Image' || type === 'ImageUrl'
export const isVideo = ({ type }: ContentMedia) => type === 'Video'
export const isDocument = ({ type }: ContentMedia) => type === 'PDF'
