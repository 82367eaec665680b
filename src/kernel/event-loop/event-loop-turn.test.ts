import { expect, test } from 'vitest'
import { inAnotherTurn } from './event-loop-time.ts'

test('every turn of the loop has one piece, the accounts one after the other', async () => {
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

test('a piece that has more to do comes after all others', async () => {
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
