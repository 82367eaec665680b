import { expect, test } from 'vitest'
import { deep } from '../../../tests/support/randomness.ts'
import { good } from './fixtures/corpus.fixture.ts'
import { openSampleFolder } from './fixtures/sample.fixture.ts'
import { UnusableFile } from './inspection.ts'
import { openMediaInspector } from './media-inspector.ts'

const timeoutMs = 1_000
const rounds = deep(40, 250)

test(`${rounds} mutations of valid files are identified or refused, and none delays the next`, async () => {
  const samples = (await good()).filter(([name]) => !/million|10,000/.test(name)).map(([, bytes]) => bytes)
  const sampleFolder = await openSampleFolder()
  const inspector = openMediaInspector({ timeoutMs })
  const outcomes = { identified: 0, refused: 0 }
  try {
    for (let seed = 1; seed <= rounds; seed += 1) {
      const path = await sampleFolder.put(mutate(samples[seed % samples.length]!, seed))
      const failure = await inspector.probe('one', path).then(
        () => undefined,
        (error) => error,
      )
      if (failure) expect(failure, `seed ${seed}`).toBeInstanceOf(UnusableFile)
      outcomes[failure ? 'refused' : 'identified'] += 1
    }
    // Both outcomes are frequent: the mutations are neither harmless nor always fatal.
    expect(Math.min(outcomes.identified, outcomes.refused)).toBeGreaterThan(rounds / 10)
    expect(await inspector.probe('one', await sampleFolder.put(samples[0]!))).toMatchObject({ kind: 'image' })
  } finally {
    await inspector.close()
    await sampleFolder.remove()
  }
})

/** One to eight changes at random offsets, deterministic per seed. */
function mutate(bytes: Buffer, seed: number): Buffer {
  const below = generator(seed)
  let result = Buffer.from(bytes)
  for (let change = 0; change <= below(8); change += 1) {
    const at = below(result.length)
    const length = Math.min(1 + below(16), result.length - at)
    const kind = below(6)
    if (kind === 0) result[at] = result[at]! ^ (1 << below(8))
    if (kind === 1) result.fill(0xff, at, at + length)
    if (kind === 2) result.fill(0, at, at + length)
    if (kind === 3) result = Buffer.concat([result.subarray(0, at), result.subarray(at + length)])
    if (kind === 4) result = Buffer.concat([result.subarray(0, at + length), result.subarray(at)])
    if (kind === 5 && below(3) === 0) result = result.subarray(0, at + 1)
  }
  return result
}

function generator(seed: number): (limit: number) => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
