import { expect, test } from 'vitest'
import { inLaterIteration } from './event-loop-time.ts'

test('each event loop iteration runs one slice, round-robin over accounts', async () => {
  const done: string[] = []
  let iterations = 0
  let counting = true
  const count = () => {
    iterations++
    if (counting) setImmediate(count)
  }
  await new Promise<void>((resolve) => {
    setImmediate(count)
    for (const owner of ['much', 'much', 'much', 'little', 'other'])
      inLaterIteration(owner, () => {
        done.push(`${owner} ${iterations}`)
        if (done.length === 5) resolve()
      })
  })
  counting = false
  expect(done).toEqual(['much 1', 'little 2', 'other 3', 'much 4', 'much 5'])
})

test('a slice that continues is queued behind all others', async () => {
  const done: string[] = []
  await new Promise<void>((resolve) => {
    inLaterIteration('one', () => {
      done.push('one')
      inLaterIteration('one', () => {
        done.push('one again')
        resolve()
      })
    })
    inLaterIteration('other', () => void done.push('other'))
  })
  expect(done).toEqual(['one', 'other', 'one again'])
})
