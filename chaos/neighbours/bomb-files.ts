import { deflateSync } from 'node:zlib'
import { animation, flatPng, picture, pngWith } from '#kernel/media-inspector/fixtures/images.fixture.ts'
import { pdf } from '#kernel/media-inspector/fixtures/pdf.fixture.ts'

export interface BombFile {
  name: string
  mime: 'image/png' | 'image/gif' | 'application/pdf'
  bytes: Buffer
}

/** Small files that are much work for whoever opens them: refused ones, and some that are within every limit. */
export async function bombFiles(): Promise<BombFile[]> {
  const zeros = deflateSync(Buffer.alloc(64 * 2 ** 20))
  const small = await picture('png')
  return [
    { name: 'huge.png', mime: 'image/png', bytes: flatPng(14_000, 14_000) },
    { name: 'largest.png', mime: 'image/png', bytes: flatPng(7_000, 7_000) },
    { name: 'profile.png', mime: 'image/png', bytes: pngWith(small, 'iCCP', named(zeros)) },
    { name: 'comment.png', mime: 'image/png', bytes: pngWith(small, 'zTXt', named(zeros)) },
    { name: 'film.gif', mime: 'image/gif', bytes: animation(400, 400, 1_800) },
    { name: 'long-film.gif', mime: 'image/gif', bytes: animation(400, 400, 10_000) },
    { name: 'pages.pdf', mime: 'application/pdf', bytes: pdf(20_000) },
    { name: 'lost.pdf', mime: 'application/pdf', bytes: withoutTable(pdf(1, { objects: objects(150_000) })) },
    { name: 'nested.pdf', mime: 'application/pdf', bytes: pdf(1, { trailer: `/Info ${'<< /A '.repeat(50_000)}` }) },
  ]
}

const named = (packed: Buffer) => Buffer.concat([Buffer.from('bomb\0\0', 'latin1'), packed])

const objects = (count: number) => Array.from({ length: count }, (_, index) => `<< /N ${index} >>`)

/** The reader has to look for every object by itself. */
const withoutTable = (file: Buffer) =>
  Buffer.from(file.toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'), 'latin1')
