import { afterAll, beforeAll, expect, test } from 'vitest'
import { flatPng, picture } from './fixtures/images.fixture.ts'
import { mp4 } from './fixtures/mp4.fixture.ts'
import { openSampleFolder } from './fixtures/sample.fixture.ts'
import { UnusableFile } from './inspection.ts'
import { type MediaInspector, type MediaInspectorOptions, openMediaInspector } from './media-inspector.ts'

const paths = { photo: '', endless: '', large: '' }
let sampleFolder: Awaited<ReturnType<typeof openSampleFolder>>
beforeAll(async () => {
  sampleFolder = await openSampleFolder()
  paths.photo = await sampleFolder.put(await picture('jpeg'))
  // Its index makes the parser list four billion frames.
  paths.endless = await sampleFolder.put(mp4({ bomb: 4_000_000_000 }))
  paths.large = await sampleFolder.put(flatPng(7_000, 7_000))
})
afterAll(() => sampleFolder.remove())

test('an inspection that exceeds its timeout is aborted, and the next file is inspected', async () => {
  await using({ timeoutMs: 1_000, maximumPixels: 1_000_000 }, async (inspector) => {
    const [failure, probe] = await Promise.all([
      failureOf(inspector.probe('one', paths.endless)),
      inspector.probe('one', paths.photo),
    ])
    expect(failure).toBeInstanceOf(UnusableFile)
    expect(failure.message).toContain('took longer than 1 second')
    expect(probe).toMatchObject({ width: 64 })
    await expect(inspector.probe('one', paths.large)).rejects.toThrow(
      '7,000 × 7,000 pixels; at most 1 million are taken',
    )
  })
})

test('a file that exceeds the memory limit ends only the process that inspects it', async () => {
  await using({ maximumMemoryMb: 200 }, async (inspector) => {
    const expectMemory = async (work: Promise<unknown>) => {
      const failure = await failureOf(work)
      expect(failure).toBeInstanceOf(UnusableFile)
      expect(failure.message).toContain('needs more than 200 MB of memory')
    }
    await expectMemory(inspector.probe('one', paths.endless))
    // Converting it to a JPEG of its own size needs 150 MB outside the heap, which has its own limit.
    await expectMemory(inspector.toJpeg('one', paths.large, { maxBytes: 10_000_000 }))
    expect(await inspector.probe('one', paths.photo)).toMatchObject({ width: 64 })
  })
})

test('slow or memory-intensive files of one owner do not delay those of others', { timeout: 120_000 }, async () => {
  await using({ timeoutMs: 20_000, maximumMemoryMb: 200 }, async (inspector) => {
    const order: string[] = []
    const recordEnd = (name: string, work: Promise<unknown>) => failureOf(work).then(() => order.push(name))
    const bombs = Array.from({ length: 3 }, () => recordEnd('bomb', inspector.probe('worst', paths.endless)))
    const photos = ['one', 'two'].flatMap((owner) =>
      [1, 2, 3].map((count) => recordEnd(`${owner} ${count}`, inspector.probe(owner, paths.photo))),
    )
    await Promise.all(photos)
    // Each bomb takes longer than a photo; if they had run first, all three would precede it.
    expect(order.filter((name) => name === 'bomb').length).toBeLessThan(3)
    expect(order.indexOf('two 1')).toBeLessThan(order.indexOf('one 3'))
    // The remaining tasks are not awaited.
    await inspector.close()
    await Promise.all(bombs)
  })
})

test('closing aborts running inspections without reporting the file as unusable', async () => {
  const inspector = openMediaInspector()
  const running = [failureOf(inspector.probe('one', paths.endless)), failureOf(inspector.probe('one', paths.photo))]
  await new Promise((resolve) => setTimeout(resolve, 300))
  await inspector.close()
  for (const failure of await Promise.all([...running, failureOf(inspector.probe('one', paths.photo))])) {
    expect(failure).not.toBeInstanceOf(UnusableFile)
    expect(failure.message).toBe('The service is shutting down.')
  }
})

async function using(
  options: MediaInspectorOptions,
  work: (inspector: MediaInspector) => Promise<void>,
): Promise<void> {
  const inspector = openMediaInspector(options)
  try {
    await work(inspector)
  } finally {
    await inspector.close()
  }
}

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('It was not refused.'),
    (error) => error,
  )
