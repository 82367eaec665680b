import { open } from 'node:fs/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { corpus, good } from './fixtures/corpus.fixture.ts'
import { animation, flatPng, phonePhoto, picture, transparentPng } from './fixtures/images.fixture.ts'
import { mp4 } from './fixtures/mp4.fixture.ts'
import { pdf } from './fixtures/pdf.fixture.ts'
import { openSampleFolder } from './fixtures/sample.fixture.ts'
import { UnusableFile } from './inspection.ts'
import { openMediaInspector } from './media-inspector.ts'

const inspector = openMediaInspector({ maximumMemoryMb: 512 })
let sampleFolder: Awaited<ReturnType<typeof openSampleFolder>>
beforeAll(async () => {
  sampleFolder = await openSampleFolder()
})
afterAll(async () => {
  await inspector.close()
  await sampleFolder.remove()
})

test('a photo is converted to an upright JPEG without metadata', async () => {
  const photo = await phonePhoto()
  expect(photo.includes('OWNER')).toBe(true)
  const jpeg = await inspector.toJpeg('one', await sampleFolder.put(photo), { maxBytes: 100_000 })
  const { format, width, height, exif, xmp, icc, orientation } = await sharp(jpeg).metadata()
  expect([format, width, height, orientation]).toEqual(['jpeg', 40, 60, undefined])
  expect([exif, xmp, icc, jpeg.includes('OWNER')]).toEqual([undefined, undefined, undefined, false])
})

test('transparency becomes white in a JPEG and is kept in a preview', async () => {
  const path = await sampleFolder.put(await transparentPng())
  const { dominant } = await sharp(await inspector.toJpeg('one', path, { maxBytes: 10_000 })).stats()
  expect(Math.min(dominant.r, dominant.g, dominant.b)).toBeGreaterThan(240)
  expect((await sharp(await inspector.preview('one', path, 20)).metadata()).hasAlpha).toBe(true)
})

test('a JPEG stays within the size limit and is not much smaller than necessary', async () => {
  const path = await sampleFolder.put(await picture('png', 450, 350))
  for (const maxBytes of [100_000, 25_000, 5_000, 1_000]) {
    const jpeg = await inspector.toJpeg('one', path, { maxBytes })
    expect(jpeg.length).toBeLessThanOrEqual(maxBytes)
    expect(jpeg.length).toBeGreaterThan(maxBytes / 4)
    const { width = 0, height = 0 } = await sharp(jpeg).metadata()
    expect(width / height).toBeCloseTo(9 / 7, 0)
  }
  const narrow = await sharp(await inspector.toJpeg('one', path, { maxBytes: 1_000_000, maxWidth: 300 })).metadata()
  expect([narrow.width, narrow.height]).toEqual([300, 233])
  await expect(inspector.toJpeg('one', path, { maxBytes: 50 })).rejects.toThrow('at most 50 bytes')
})

test('previews are small and never larger than the picture', async () => {
  const sizeOf = async (bytes: Buffer) => {
    const { format, width, height } = await sharp(
      await inspector.preview('one', await sampleFolder.put(bytes), 400),
    ).metadata()
    return [format, width, height]
  }
  expect(await sizeOf(await picture('jpeg', 440, 330))).toEqual(['webp', 400, 300])
  expect(await sizeOf(await picture('gif'))).toEqual(['webp', 64, 48])
  expect(await sizeOf(animation(500, 500, 3))).toEqual(['webp', 400, 400])
  expect(await sizeOf(flatPng(10, 60_000))).toEqual(['webp', 1, 1_600])
})

test('files that are not pictures, or too large, get no JPEG or preview', async () => {
  for (const bytes of [mp4(), pdf(1)]) {
    const path = await sampleFolder.put(bytes)
    await expect(inspector.preview('one', path, 100)).rejects.toThrow('The file is not a picture.')
    await expect(inspector.toJpeg('one', path, { maxBytes: 1_000 })).rejects.toThrow(UnusableFile)
  }
  await expect(inspector.preview('one', await sampleFolder.put(flatPng(14_000, 14_000)), 100)).rejects.toThrow(
    'at most 50 million',
  )
})

test('only the index of a three-gigabyte video is read', async () => {
  const small = mp4({ order: 'index last', audio: false })
  const [bytes, index] = [3 * 2 ** 30, small.indexOf('moov') - 4]
  const path = await sampleFolder.put(small.subarray(0, 24))
  const file = await open(path, 'r+')
  const header = Buffer.from('000000016d6461740000000000000000', 'hex')
  header.writeBigUInt64BE(BigInt(bytes), 8)
  await file.write(header, 0, 16, 24)
  await file.write(small.subarray(index), 0, small.length - index, 24 + bytes)
  await file.close()
  expect(await inspector.probe('one', path)).toMatchObject({ width: 640, durationMs: 2_000, framesPerSecond: 25 })
})

test('a PDF above 100 MB is refused with the limit', async () => {
  const path = await sampleFolder.put(pdf(1))
  const file = await open(path, 'r+')
  await file.truncate(100 * 2 ** 20 + 1)
  await file.close()
  await expect(inspector.probe('one', path)).rejects.toThrow('The file has 101 MB; pictures and PDFs may have 100.')
})

test('a missing path is reported as an internal error', async () => {
  const failure = await inspector.probe('one', '/nowhere/at/all').catch((error) => error)
  expect(failure).not.toBeInstanceOf(UnusableFile)
  expect(failure.message).toContain('ENOENT')
})

test('concurrent calls each get their own result', async () => {
  const paths = await Promise.all([1, 2, 3, 4, 5].map((pages) => sampleFolder.put(pdf(pages))))
  const found = await Promise.all(paths.map((path) => inspector.probe('one', path)))
  expect(found.map((probe) => probe.kind === 'pdf' && probe.pages)).toEqual([1, 2, 3, 4, 5])
})

test('every sample file is identified or refused with a message, and the next one is still inspected', async () => {
  const samples = await corpus()
  expect(samples.filter(([, , expected]) => expected instanceof RegExp).length).toBeGreaterThan(40)
  const before = memory()
  for (const [name, bytes, expected] of samples) {
    const found = await inspect(bytes)
    if (expected instanceof RegExp) expect(String(found), name).toMatch(expected)
    else expect(found, name).toMatchObject(expected)
  }
  expect(memory() - before).toBeLessThan(100 * 2 ** 20)
  const [[, bytes, expected] = []] = await good()
  expect(await inspect(bytes!)).toMatchObject(expected!)
})

async function inspect(bytes: Buffer): Promise<unknown> {
  try {
    return await inspector.probe('one', await sampleFolder.put(bytes))
  } catch (error) {
    expect(error).toBeInstanceOf(UnusableFile)
    const { message } = error as UnusableFile
    expect(message).toMatch(/^[A-Z].{10,}\.$/)
    return message
  }
}

const memory = () => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
