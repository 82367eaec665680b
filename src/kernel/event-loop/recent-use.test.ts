import { expect, test } from 'vitest'
import { openRecentUse } from './event-loop-time.ts'

test('an account with more than twice the average usage of the others counts as dominant', () => {
  const use = openRecentUse()
  use.add('one', 100)
  use.add('other', 10)
  use.add('third', 20)
  expect(use.isLargest('one')).toBe(true)
  expect(use.isLargest('other')).toBe(false)
  expect(use.isLargest('third')).toBe(false)
})

test('no account counts as dominant when usage is about equal', () => {
  const use = openRecentUse()
  const owners = Array.from({ length: 10 }, (_, number) => `account ${number}`)
  for (const [number, owner] of owners.entries()) use.add(owner, 100 + number)
  expect(owners.filter((owner) => use.isLargest(owner))).toEqual([])
})
