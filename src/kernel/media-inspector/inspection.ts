import { open } from 'node:fs/promises'

/** What a file turned out to be, whatever its name says; sizes are those a viewer sees, after rotation. */
export type Inspection = ImageInspection | VideoInspection | PdfInspection

export interface ImageInspection {
  kind: 'image'
  mime: 'image/jpeg' | 'image/png' | 'image/gif'
  width: number
  height: number
  frames: number
  hasAlpha: boolean
}

/** What is undefined the file does not tell. */
export interface VideoInspection {
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

export interface PdfInspection {
  kind: 'pdf'
  mime: 'application/pdf'
  pages: number
}

/** Random access to a file that is never in memory as a whole; `to` is the first byte that is not wanted. */
export interface FileSource {
  bytes: number
  read(from: number, to: number): Promise<Uint8Array>
}

/** A file that cannot be used; the message is a sentence for the user. */
export class UnusableFile extends Error {
  override name = 'UnusableFile'
}

export interface JpegOptions {
  maxBytes: number
  maxWidth?: number
  /** Of the first attempt, 88 unless told; what is too large is tried with less. */
  quality?: number
}

/** What the process can be asked to do with a file. */
export type Task =
  | { name: 'probe'; path: string }
  | { name: 'jpeg'; path: string; options: JpegOptions }
  | { name: 'preview'; path: string; width: number }

/** What the process says first. */
export const readyWord = 'ready'

/** How a task ended, and how much memory the process is left with. */
export type Reply = { rss: number } & (
  | { result: Inspection | Buffer }
  /** The file's fault, as a sentence for the user. */
  | { refused: string }
  /** Ours, such as a file that is not there. */
  | { failed: string }
)

/** What looking into one file may cost, beside time. */
export interface InspectionLimits {
  maximumPixels: number
  maximumMemoryMb: number
}

/** How many bytes from the beginning of a file `sniff` wants to see. */
export const sniffedBytes = 1_024

/**
 * The real type of a file by its beginning; undefined when it is none that is taken, or when a browser could take it for a
 * page. What happens to files that are two things at once:
 *
 * | file                                                          | what happens                                            |
 * |---------------------------------------------------------------|---------------------------------------------------------|
 * | one whose first bytes are not those of a type we take         | refused, whatever its name or claimed type says         |
 * | `<script`, `<html`, `<svg`, `<!doctype` in the first 1,024    | refused, as that is where browsers look for the type    |
 * | the same further inside: comments, XMP, after the end         | taken; it is served with its sniffed type, nosniff and  |
 * |                                                               | a sandbox, and every JPEG or preview we make is without |
 * | GIF or JPEG that also parses as JavaScript (`GIF89a/*`)       | taken if it decodes; browsers run no script of image/*  |
 * | JPEG, PNG, PDF or MP4 with a ZIP or program appended          | taken; nothing here or in a browser opens the appendix  |
 * | PDF whose header is not at the very beginning                 | refused: something else may stand before it             |
 * | PDF with JavaScript or files attached                         | taken; it is served as a download, and never run here   |
 */
export function sniff(bytes: Uint8Array): Inspection['mime'] | undefined {
  return looksLikePage(bytes) ? undefined : typeByMagic(bytes)
}

/** Whether a claimed type is the real one, in another spelling perhaps. */
export function agreeing(claimed: string, real: string): boolean {
  return canonical(claimed) === canonical(real)
}

/** Whether the beginning holds what makes browsers of any age see a page. */
export function looksLikePage(bytes: Uint8Array): boolean {
  // Without the zeros text in UTF-16 reads like any other.
  const text = latin1(bytes.subarray(0, sniffedBytes)).replaceAll('\0', '').toLowerCase()
  return pageMarks.some((mark) => text.includes(mark))
}

export function typeByMagic(bytes: Uint8Array): Inspection['mime'] | undefined {
  const beginning = latin1(bytes.subarray(0, 8))
  if (beginning.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (beginning === '\x89PNG\r\n\x1a\n') return 'image/png'
  if (/^GIF8[79]a/.test(beginning)) return 'image/gif'
  if (/^%PDF-\d/.test(beginning)) return 'application/pdf'
  return isMp4(bytes) ? 'video/mp4' : undefined
}

function canonical(type: string): string {
  const plain = (type.split(';')[0] ?? '').trim().toLowerCase()
  return spellings[plain] ?? plain
}

const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

const pageMarks = ['<script', '<html', '<svg', '<!doctype']

const spellings: Record<string, string> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'video/x-m4v': 'video/mp4',
}

/** Whether a file begins as an MP4 video: not as QuickTime, an audio book or a picture, which share its boxes. */
function isMp4(bytes: Uint8Array): boolean {
  const [major, ...compatible] = brandsOf(bytes)
  if (major === undefined || foreign.test(major)) return false
  return [major, ...compatible].some((brand) => accepted.test(brand))
}

/** The major brand of a file made of boxes, then those it says it is compatible with. */
export function brandsOf(bytes: Uint8Array): string[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.length < 16 || view.toString('latin1', 4, 8) !== 'ftyp') return []
  const end = Math.min(view.readUInt32BE(0), view.length)
  const brands = [view.toString('latin1', 8, 12)]
  // Between the two stands the version, which nobody uses.
  for (let at = 16; at + 4 <= end; at += 4) brands.push(view.toString('latin1', at, at + 4))
  return brands
}

const accepted = /^(isom|iso[2-9a-c]|mp4[12]|avc1|hvc1|M4V[ HP]|MSNV|dash|mmp4|cmf[c2])$/
const foreign = /^(qt {2}|M4[ABP] |3g..|hei.|hev.|mif1|msf1|avi[fos]|jp[2mx] |crx |f4[abp] |F4[ABP] )$/

/** Opens a local file to be read piece by piece. */
export async function openFile(path: string): Promise<FileSource & { close(): Promise<void> }> {
  const file = await open(path)
  const { size, isFile } = await file.stat().then((found) => ({ size: found.size, isFile: found.isFile() }))
  if (!isFile) {
    await file.close()
    throw new Error(`${path} is not a file.`)
  }
  return {
    bytes: size,
    async read(from, to) {
      const wanted = Buffer.alloc(Math.max(0, Math.min(to, size) - from))
      const { bytesRead } = await file.read(wanted, 0, wanted.length, from)
      if (bytesRead < wanted.length) throw new UnusableFile('The file became shorter while it was being read.')
      return wanted
    },
    close: () => file.close(),
  }
}
