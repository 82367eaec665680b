import { expect, test } from 'vitest'
import { rank } from './rank.ts'

const names = ['Go to Home', 'Go to Calendar', 'Compose a post', 'Switch between light and dark']
const found = (query: string) => rank(names, query, (name) => name)

test('matches letters in order and ranks adjacent letters and word starts first', () => {
  expect(found('')).toEqual(names)
  expect(found('cal')[0]).toBe('Go to Calendar')
  expect(found('gth')[0]).toBe('Go to Home')
  expect(found('Light Dark')[0]).toBe('Switch between light and dark')
  expect(found('zz')).toEqual([])
})
