import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deep } from '../../../../../tests/support/randomness.ts'
import { newHash } from '../../link/link-url.ts'
import { type CachedLink, openLinkStore } from './link-store.ts'

const hashes = Array.from({ length: 40 }, newHash)
const link = (number: number): CachedLink => ({
  account: `account-${number % 3}`,
  id: `008${number}`,
  location: `https://example.com/${'x'.repeat(number % 50)}`,
  disabled: number % 2 === 0,
})

test('returns the last stored value while there is room', () => {
  const step = fc.tuple(fc.constantFrom('set', 'delete'), fc.nat(hashes.length - 1), fc.nat(1000))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const store = openLinkStore(64, 1024)
      const expected = new Map<string, CachedLink>()
      for (const [what, which, number] of steps) {
        const hash = hashes[which] as string
        if (what === 'set') {
          store.set(hash, link(number))
          expected.set(hash, link(number))
        } else {
          store.delete(hash)
          expected.delete(hash)
        }
      }
      for (const hash of hashes) expect(store.get(hash)).toEqual(expected.get(hash))
      expect(store.count()).toBe(expected.size)
    }),
  )
})

test('thousands of links are found, and removed again', () => {
  const store = openLinkStore()
  const many = Array.from({ length: deep(10_000, 50_000) }, newHash)
  for (const [number, hash] of many.entries()) store.set(hash, link(number))
  expect(store.count()).toBe(many.length)
  for (const [number, hash] of many.entries()) if (number % 2 === 0) store.delete(hash)
  const wrong = [...many.entries()].filter(
    ([number, hash]) => store.get(hash)?.id !== (number % 2 === 0 ? undefined : `008${number}`),
  )
  expect(wrong).toEqual([])
})

test('when the store is full the oldest links are evicted, and no other link is affected', () => {
  const store = openLinkStore(4, 1024)
  const many = Array.from({ length: 500 }, newHash)
  const wrong: object[] = []
  for (const [number, hash] of many.entries()) {
    store.set(hash, link(number))
    if (number > 200) expect(store.hasRoom()).toBe(false)
    for (const [older, before] of many.slice(0, number + 1).entries()) {
      const found = store.get(before)
      const mustBe = found !== undefined || number - older < 5
      if (mustBe && !isDeepStrictEqual(found, link(older))) wrong.push({ number, older, found })
    }
  }
  expect(wrong).toEqual([])
  expect(store.count()).toBeLessThan(4 * (1024 / 20))
  expect(store.get(many[0] as string)).toBeUndefined()
})

test('a URL that is too long is not stored, and its previous entry is removed', () => {
  const store = openLinkStore()
  const [hash] = hashes as [string]
  store.set(hash, link(1))
  store.set(hash, { ...link(1), location: `https://example.com/${'x'.repeat(70_000)}` })
  expect(store.get(hash)).toBeUndefined()
})
