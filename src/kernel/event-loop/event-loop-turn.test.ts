import { expect, test } from 'vitest'
import { inAnotherTurn } from './event-loop-time.ts'

test('each event loop iteration runs one slice, round-robin over accounts', async () => {
  const done: string[] = []
  let turns = 0
  let counting = true
  const count = () => {
    turns++
    if (counting) setImmediate(count)
  }
  await new Promise<void>((resolve) => {
    setImmediate(count)
    for (const owner of ['much', 'much', 'much', 'little', 'other'])
      inAnotherTurn(owner, () => {
        done.push(`${owner} ${turns}`)
        if (done.length === 5) resolve()
      })
  })
  counting = false
  expect(done).toEqual(['much 1', 'little 2', 'other 3', 'much 4', 'much 5'])
})

test('a slice that continues is queued behind all others', async () => {
  const done: string[] = []
  await new Promise<void>((resolve) => {
    inAnotherTurn('one', () => {
      done.push('one')
      inAnotherTurn('one', () => {
        done.push('one again')
        resolve()
      })
    })
    inAnotherTurn('other', () => void done.push('other'))
  })
  expect(done).toEqual(['one', 'other', 'one again'])
})
