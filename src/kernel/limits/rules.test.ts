import { expect, test } from 'vitest'
import { isBlocked } from './rules.ts'

const rules = { second: 60, fiveSeconds: 120, day: 50_000, blockSeconds: 900 }
const now = Date.parse('2026-05-01T12:00:00Z')
const block = rules.blockSeconds * 1000

test('a block holds until its end; one that a clock set which was a day ahead does not', () => {
  expect(isBlocked({ blockedUntil: now + block }, now, rules)).toBe(true)
  expect(isBlocked({ blockedUntil: now + 1 }, now, rules)).toBe(true)
  expect(isBlocked({ blockedUntil: now }, now, rules)).toBe(false)
  expect(isBlocked({ blockedUntil: now + block + 86_400_000 }, now, rules)).toBe(false)
})
