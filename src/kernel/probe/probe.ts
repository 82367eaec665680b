/** What a file turned out to be, whatever its name says; sizes are those a viewer sees, after rotation. */
export type Probe = ImageProbe | VideoProbe | PdfProbe

export interface ImageProbe {
  kind: 'image'
  mime: 'image/jpeg' | 'image/png' | 'image/gif'
  width: number
  height: number
  frames: number
  hasAlpha: boolean
}

/** What is undefined the file does not tell. */
export interface VideoProbe {
  kind: 'video'
  mime: 'video/mp4'
  width: number
  height: number
  durationMs: number
  framesPerSecond: number | undefined
  /** In the words of the networks: `h264`, `hevc`, `vp9`, `av1`. */
  videoCodec: string | undefined
  audioCodec: string | undefined
  audioChannels: number | undefined
  audioRate: number | undefined
}

export interface PdfProbe {
  kind: 'pdf'
  mime: 'application/pdf'
  pages: number
}

/** Random access to a file that is never in memory as a whole; `to` is the first byte that is not wanted. */
export interface ProbeSource {
  bytes: number
  read(from: number, to: number): Promise<Uint8Array>
}

/** A file that cannot be used; the message is a sentence for the user. */
export class UnusableFile extends Error {
  override name = 'UnusableFile'
}

/** What looking into one file may cost, beside time. */
export interface ProbeLimits {
  maximumPixels: number
  maximumMemoryMb: number
}
