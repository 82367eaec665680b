import { afterAll, beforeAll, expect, test } from 'vitest'
import { corpus, good } from './corpus.fixture.ts'
import { UnusableFile } from './probe.ts'
import { openProber } from './prober.ts'
import { openShelf } from './sample.fixture.ts'

const prober = openProber()
let shelf: Awaited<ReturnType<typeof openShelf>>
beforeAll(async () => {
  shelf = await openShelf()
})
afterAll(async () => {
  await prober.close()
  await shelf.remove()
})

test('every file is told right or refused with a sentence, and the next one is read all the same', async () => {
  const samples = await corpus()
  expect(samples.filter(([, , expected]) => expected instanceof RegExp).length).toBeGreaterThan(40)
  const before = memory()
  for (const [name, bytes, expected] of samples) {
    const found = await look(bytes)
    if (expected instanceof RegExp) expect(String(found), name).toMatch(expected)
    else expect(found, name).toMatchObject(expected)
  }
  expect(memory() - before).toBeLessThan(100 * 2 ** 20)
  const [[, bytes, expected] = []] = await good()
  expect(await look(bytes!)).toMatchObject(expected!)
})

async function look(bytes: Buffer): Promise<unknown> {
  try {
    return await prober.probe('one', await shelf.put(bytes))
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
