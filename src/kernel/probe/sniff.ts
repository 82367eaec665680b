import { isMp4 } from './brands.ts'
import type { Probe } from './probe.ts'

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
export function sniff(bytes: Uint8Array): Probe['mime'] | undefined {
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

export function typeByMagic(bytes: Uint8Array): Probe['mime'] | undefined {
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
