import { expect, test } from 'vitest'
import { NoFreeSlot, openFairSemaphore } from './fair-semaphore.ts'

/** Requests a slot for each owner and records the order in which they are served. */
function queueUp(slots: ReturnType<typeof openFairSemaphore>, served: string[], owners: string) {
  return [...owners].map((owner) => slots.take(owner).then(() => served.push(owner)))
}

test('an owner never exceeds its share, even if slots are free', async () => {
  const slots = openFairSemaphore({ slots: 4, share: 2 })
  expect([slots.tryTake('a'), slots.tryTake('a'), slots.tryTake('a')]).toEqual([true, true, false])
  expect([slots.tryTake('b'), slots.tryTake('b'), slots.tryTake('c')]).toEqual([true, true, false])
  expect(slots.taken).toBe(4)
})

test('waiting owners are served round-robin, not in order of arrival', async () => {
  const slots = openFairSemaphore({ slots: 1, share: 1 })
  await slots.take('x')
  const served: string[] = []
  const all = queueUp(slots, served, 'aaaabbc')
  expect(slots.waiting).toBe(7)
  let owner = 'x'
  for (let turn = 1; turn <= 7; turn++) {
    slots.release(owner)
    await Promise.resolve()
    await Promise.resolve()
    expect(served).toHaveLength(turn)
    owner = served.at(-1) as string
  }
  await Promise.all(all)
  expect(served.join('')).toBe('abcabaa')
  slots.release(owner)
  expect([slots.taken, slots.waiting]).toEqual([0, 0])
})

test('a slot that one owner may not take goes to the next eligible owner', async () => {
  const slots = openFairSemaphore({ slots: 2, share: 1 })
  await slots.take('a')
  await slots.take('x')
  const served: string[] = []
  const [again] = queueUp(slots, served, 'ab')
  slots.release('x')
  await Promise.resolve()
  await Promise.resolve()
  expect(served).toEqual(['b'])
  slots.release('a')
  await again
  expect(served).toEqual(['b', 'a'])
})

test('an owner that stops waiting leaks no slot', async () => {
  const slots = openFairSemaphore({ slots: 1, share: 1 })
  await slots.take('a')
  await expect(slots.take('b', { patienceMs: 1 })).rejects.toThrow(NoFreeSlot)
  const stop = new AbortController()
  const stopped = slots.take('b', { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(stopped).rejects.toThrow('enough')
  await expect(slots.take('b', { signal: stop.signal })).rejects.toThrow('enough')
  expect(slots.waiting).toBe(0)
  slots.release('a')
  expect(slots.tryTake('c')).toBe(true)
  expect(() => slots.release('b')).toThrow('nobody had')
})

test('the only active owner may exceed its share until another owner requests a slot', async () => {
  const slots = openFairSemaphore({ slots: 8, share: 2, alone: 6 })
  const take = (owner: string) => Array.from({ length: 8 }, () => slots.tryTake(owner)).filter(Boolean).length
  expect(take('a')).toBe(6)
  expect(slots.tryTake('b')).toBe(true)
  for (let released = 0; released < 4; released++) {
    slots.release('a')
    expect(slots.tryTake('a')).toBe(false)
  }
  slots.release('a')
  expect(slots.tryTake('a')).toBe(true)
  expect(take('b')).toBe(1)
})

test('an owner that waits because of its share gets more once the others are inactive, without any release', async () => {
  const slots = openFairSemaphore({ slots: 8, share: 2, alone: 6 })
  expect([slots.tryTake('b'), slots.tryTake('a'), slots.tryTake('a'), slots.tryTake('a')]).toEqual([
    true,
    true,
    true,
    false,
  ])
  await Promise.all([slots.take('a'), slots.take('a')])
  expect(slots.taken).toBe(5)
})

test('the share can depend on the owner', () => {
  const slots = openFairSemaphore({ slots: 8, share: (owner) => (owner === 'heavy' ? 1 : 3) })
  const take = (owner: string) => Array.from({ length: 8 }, () => slots.tryTake(owner)).filter(Boolean).length
  expect([take('heavy'), take('light')]).toEqual([1, 3])
})
