import { open } from 'node:fs/promises'

/** The inspected content of a file, regardless of its name; dimensions are as displayed, after rotation. */
export type Inspection = ImageInspection | VideoInspection | PdfInspection

export interface ImageInspection {
  kind: 'image'
  mime: 'image/jpeg' | 'image/png' | 'image/gif'
  width: number
  height: number
  frames: number
  hasAlpha: boolean
}

/** Properties are undefined if the file doesn't contain them. */
export interface VideoInspection {
  kind: 'video'
  mime: 'video/mp4'
  width: number
  height: number
  durationMs: number
  framesPerSecond: number | undefined
  /** Names as networks use them: `h264`, `hevc`, `vp9`, `av1`. */
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

/** Random access to a file that is never in memory as a whole; `to` is exclusive. */
export interface FileSource {
  bytes: number
  read(from: number, to: number): Promise<Uint8Array>
}

/** A file that can't be used; the message is shown to the user. */
export class UnusableFile extends Error {
  override name = 'UnusableFile'
}

export interface JpegOptions {
  maxBytes: number
  maxWidth?: number
  /** Quality of the first attempt, 88 by default; reduced if the result is too large. */
  quality?: number
}

/** Tasks of the inspector process. */
export type Task =
  | { name: 'probe'; path: string }
  | { name: 'jpeg'; path: string; options: JpegOptions }
  | { name: 'preview'; path: string; width: number }

/** The first message of the process. */
export const readyWord = 'ready'

/** The result of a task, and the memory use of the process after it. */
export type Reply = { rss: number } & (
  | { result: Inspection | Buffer }
  /** An unusable file, with a message for the user. */
  | { refused: string }
  /** An internal error, such as a missing file. */
  | { failed: string }
)

/** Resource limits of one inspection, besides time. */
export interface InspectionLimits {
  maximumPixels: number
  maximumMemoryMb: number
}

/** Number of leading bytes that `sniff` needs. */
export const sniffedBytes = 1_024

/**
 * The real type of a file by its first bytes; undefined if it is not supported, or if a browser could treat it as a page.
 * Handling of polyglot files:
 *
 * | file                                                       | result                                                    |
 * |------------------------------------------------------------|-----------------------------------------------------------|
 * | first bytes don't match a supported type                   | refused, whatever its name or claimed type                |
 * | `<script`, `<html`, `<svg`, `<!doctype` in the first 1,024 | refused, as browsers sniff the type there                 |
 * | the same further inside: comments, XMP, after the end      | accepted; served with its sniffed type, nosniff and a     |
 * |                                                            | sandbox, and removed from every JPEG or preview we make   |
 * | GIF or JPEG that also parses as JavaScript (`GIF89a/*`)    | accepted if it decodes; browsers run no script of image/* |
 * | JPEG, PNG, PDF or MP4 with a ZIP or program appended       | accepted; neither we nor browsers open the appended data  |
 * | PDF whose header is not at the very beginning              | refused: another format may precede it                    |
 * | PDF with JavaScript or attached files                      | accepted; served as a download, and never run here        |
 */
export function sniff(bytes: Uint8Array): Inspection['mime'] | undefined {
  return looksLikePage(bytes) ? undefined : typeByMagic(bytes)
}

/** Whether a claimed type equals the real one, possibly in another spelling. */
export function agreeing(claimed: string, real: string): boolean {
  return canonical(claimed) === canonical(real)
}

/** Whether the beginning contains markup that makes any browser treat the file as a page. */
export function looksLikePage(bytes: Uint8Array): boolean {
  // Without NUL bytes, UTF-16 text matches as well.
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

/** Whether a file begins as an MP4 video, not as QuickTime, an audio book or a picture, which use the same boxes. */
function isMp4(bytes: Uint8Array): boolean {
  const [major, ...compatible] = brandsOf(bytes)
  if (major === undefined || foreign.test(major)) return false
  return [major, ...compatible].some((brand) => accepted.test(brand))
}

/** The major brand of an ISO media file, then its compatible brands. */
export function brandsOf(bytes: Uint8Array): string[] {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.length < 16 || view.toString('latin1', 4, 8) !== 'ftyp') return []
  const end = Math.min(view.readUInt32BE(0), view.length)
  const brands = [view.toString('latin1', 8, 12)]
  // The unused minor version is between the two.
  for (let at = 16; at + 4 <= end; at += 4) brands.push(view.toString('latin1', at, at + 4))
  return brands
}

const accepted = /^(isom|iso[2-9a-c]|mp4[12]|avc1|hvc1|M4V[ HP]|MSNV|dash|mmp4|cmf[c2])$/
const foreign = /^(qt {2}|M4[ABP] |3g..|hei.|hev.|mif1|msf1|avi[fos]|jp[2mx] |crx |f4[abp] |F4[ABP] )$/

/** Opens a local file for random access. */
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
