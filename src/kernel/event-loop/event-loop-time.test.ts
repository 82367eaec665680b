import { expect, test } from 'vitest'
import { openEventLoopTime } from './event-loop-time.ts'

test('an account that used much event loop time is delayed while others are active; the others are not', async () => {
  const thread = openEventLoopTime(2)
  expect(thread.rest('other')).toBeUndefined()
  thread.charge('busy', 100)
  const waiting = thread.rest('busy')
  expect(waiting).toBeInstanceOf(Promise)
  expect(thread.rest('other')).toBeUndefined()
  await waiting
})

test('the only active account is never delayed', async () => {
  const thread = openEventLoopTime(2)
  thread.charge('busy', 10_000)
  expect(thread.rest('busy')).toBeUndefined()
})

test('waiting calls are admitted in order of arrival once no other account is active', async () => {
  const thread = openEventLoopTime(2)
  const order: number[] = []
  thread.rest('other')
  thread.charge('busy', 10_000)
  await Promise.all([1, 2, 3].map(async (number) => thread.rest('busy')?.then(() => order.push(number))))
  expect(order).toEqual([1, 2, 3])
})

test('few calls of one account run concurrently, and those of other accounts run beside them', async () => {
  const thread = openEventLoopTime(2)
  thread.rest('one')
  thread.rest('other')
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const begun: string[] = []
  const call = (owner: string) =>
    thread.inTurn(owner, async () => {
      begun.push(owner)
      await ended
    })
  const calls = ['one', 'one', 'one', 'one', 'other'].map(call)
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(['one', 'one', 'other'])
  end()
  await Promise.all(calls)
  expect(begun.filter((owner) => owner === 'one').length).toBe(4)
})

test('more calls of one account run concurrently while no other account is active', async () => {
  const thread = openEventLoopTime(2)
  let begun = 0
  const calls = Array.from({ length: 4 }, () =>
    thread.inTurn('one', async () => {
      begun++
      await new Promise((resolve) => setImmediate(resolve))
    }),
  )
  await Promise.resolve()
  expect(begun).toBe(4)
  await Promise.all(calls)
})
