import { expect, test } from 'vitest'
import {
  formatBytes,
  formatDateTime,
  formatDay,
  formatList,
  formatLongDate,
  formatRelativeTime,
  formatShortList,
  formatTime,
  plural,
  setLocale,
} from './format.ts'

const moment = Date.parse('2026-11-17T08:30:00Z')

test('formats times in the time zone and language of the user', () => {
  setLocale({ language: 'en-GB', zone: 'Europe/Berlin' })
  expect([formatTime(moment), formatDateTime(moment), formatLongDate(moment)]).toEqual([
    '09:30',
    '17 Nov 2026, 09:30',
    'Tuesday, 17 November 2026',
  ])
  setLocale({ language: 'de', zone: 'Asia/Tokyo' })
  expect([formatTime(moment), formatDay(Date.parse('2027-03-01T00:00:00Z'), { weekday: 'long' })]).toEqual([
    '17:30',
    'Montag',
  ])
})

test('formats numbers and plurals by the rules of the language', () => {
  setLocale({ language: 'en-GB' })
  const posts = (count: number) => plural(count, { one: '# post', other: '# posts' })
  expect([posts(1), posts(0), posts(1204)]).toEqual(['1 post', '0 posts', '1,204 posts'])
  expect([formatBytes(0), formatBytes(918_400_000), formatBytes(1_500)]).toEqual(['0 byte', '918 MB', '1.5 kB'])
  expect(formatList(['a', 'b', 'c'])).toBe('a, b and c')
  const others = (count: number) => plural(count, { one: '# other', other: '# others' })
  expect(formatShortList(['a', 'b', 'c', 'd', 'e'], others)).toBe('a, b, c, d and e')
  expect(formatShortList(['a', 'b', 'c', 'd', 'e', 'f'], others)).toBe('a, b, c, d and 2 others')
  setLocale({ language: 'ar' })
  expect(plural(2, { two: 'منشوران', other: '# منشور' })).toBe('منشوران')
})

test('formats relative times', () => {
  setLocale({ language: 'en-GB' })
  const away = [3 * 3_600_000, -2 * 86_400_000, 20_000, 86_400_000].map((by) => formatRelativeTime(moment + by, moment))
  expect(away).toEqual(['in 3 hours', '2 days ago', 'now', 'tomorrow'])
})
