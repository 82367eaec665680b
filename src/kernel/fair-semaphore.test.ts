import { expect, test } from 'vitest'
import { NoFreeSlot, openFairSemaphore } from './fair-semaphore.ts'

/** Requests a slot for each owner and records the order in which they are served. */
function queueUp(places: ReturnType<typeof openFairSemaphore>, served: string[], owners: string) {
  return [...owners].map((owner) => places.take(owner).then(() => served.push(owner)))
}

test('an owner never exceeds its share, even if slots are free', async () => {
  const places = openFairSemaphore({ places: 4, share: 2 })
  expect([places.tryTake('a'), places.tryTake('a'), places.tryTake('a')]).toEqual([true, true, false])
  expect([places.tryTake('b'), places.tryTake('b'), places.tryTake('c')]).toEqual([true, true, false])
  expect(places.taken).toBe(4)
})

test('waiting owners are served round-robin, not in order of arrival', async () => {
  const places = openFairSemaphore({ places: 1, share: 1 })
  await places.take('x')
  const served: string[] = []
  const all = queueUp(places, served, 'aaaabbc')
  expect(places.waiting).toBe(7)
  let owner = 'x'
  for (let turn = 1; turn <= 7; turn++) {
    places.release(owner)
    await Promise.resolve()
    await Promise.resolve()
    expect(served).toHaveLength(turn)
    owner = served.at(-1) as string
  }
  await Promise.all(all)
  expect(served.join('')).toBe('abcabaa')
  places.release(owner)
  expect([places.taken, places.waiting]).toEqual([0, 0])
})

test('a slot that one owner may not take goes to the next eligible owner', async () => {
  const places = openFairSemaphore({ places: 2, share: 1 })
  await places.take('a')
  await places.take('x')
  const served: string[] = []
  const [again] = queueUp(places, served, 'ab')
  places.release('x')
  await Promise.resolve()
  await Promise.resolve()
  expect(served).toEqual(['b'])
  places.release('a')
  await again
  expect(served).toEqual(['b', 'a'])
})

test('an owner that stops waiting leaks no slot', async () => {
  const places = openFairSemaphore({ places: 1, share: 1 })
  await places.take('a')
  await expect(places.take('b', { patienceMs: 1 })).rejects.toThrow(NoFreeSlot)
  const stop = new AbortController()
  const stopped = places.take('b', { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(stopped).rejects.toThrow('enough')
  await expect(places.take('b', { signal: stop.signal })).rejects.toThrow('enough')
  expect(places.waiting).toBe(0)
  places.release('a')
  expect(places.tryTake('c')).toBe(true)
  expect(() => places.release('b')).toThrow('nobody had')
})

test('the only active owner may exceed its share until another owner requests a slot', async () => {
  const places = openFairSemaphore({ places: 8, share: 2, alone: 6 })
  const take = (owner: string) => Array.from({ length: 8 }, () => places.tryTake(owner)).filter(Boolean).length
  expect(take('a')).toBe(6)
  expect(places.tryTake('b')).toBe(true)
  for (let released = 0; released < 4; released++) {
    places.release('a')
    expect(places.tryTake('a')).toBe(false)
  }
  places.release('a')
  expect(places.tryTake('a')).toBe(true)
  expect(take('b')).toBe(1)
})

test('an owner that waits because of its share gets more once the others are inactive, without any release', async () => {
  const places = openFairSemaphore({ places: 8, share: 2, alone: 6 })
  expect([places.tryTake('b'), places.tryTake('a'), places.tryTake('a'), places.tryTake('a')]).toEqual([
    true,
    true,
    true,
    false,
  ])
  await Promise.all([places.take('a'), places.take('a')])
  expect(places.taken).toBe(5)
})

test('the share can depend on the owner', () => {
  const places = openFairSemaphore({ places: 8, share: (owner) => (owner === 'heavy' ? 1 : 3) })
  const take = (owner: string) => Array.from({ length: 8 }, () => places.tryTake(owner)).filter(Boolean).length
  expect([take('heavy'), take('light')]).toEqual([1, 3])
})
