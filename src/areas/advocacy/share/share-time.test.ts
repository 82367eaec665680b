import { expect, test } from 'vitest'
import { shareTime, type Timing } from './share-create.ts'

const now = new Date('2026-03-04T10:00:00.250Z')
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000)
const timing: Timing = { now, chosen: undefined, window: 60, cap: undefined, before: hours(24 * 30) }

/** Plans this many, one after another, at the same time. */
function plan(count: number, given: Partial<Timing> = {}): number[] {
  const planned: Date[] = []
  for (let number = 0; number < count; number++) {
    const moment = shareTime(planned, { ...timing, ...given })
    if (moment) planned.push(moment)
  }
  return planned.map((moment) => (moment.getTime() - (given.chosen ?? now).getTime()) / 1000)
}

test('the first is sent at once, the next at growing intervals, later ones in between', () => {
  expect(plan(10)).toEqual([0, 30, 60, 120, 240, 480, 960, 1920, 2760, 1440])
})

test('five hundred are spread over the window, no two in the same second', () => {
  const moments = plan(500)
  expect(new Set(moments.map((moment) => Math.floor(moment))).size).toBe(500)
  expect([Math.min(...moments), Math.max(...moments) <= 3600]).toEqual([0, true])
  const quarters = [0, 1, 2, 3].map(
    (quarter) => moments.filter((moment) => Math.floor(moment / 900) === quarter).length,
  )
  expect(Math.min(...quarters)).toBeGreaterThan(80)
})

test('if every second is taken they continue after the window', () => {
  const moments = plan(90, { window: 1 })
  expect(new Set(moments).size).toBe(90)
  expect(Math.max(...moments)).toBeGreaterThan(60)
})

test('a chosen time is kept within five minutes, and without a window everything is sent at once', () => {
  const moments = plan(40, { chosen: hours(5) })
  expect([Math.min(...moments), Math.max(...moments) <= 300, new Set(moments).size]).toEqual([0, true, 40])
  expect(plan(3, { window: 0 })).toEqual([0, 0, 0])
})

test('shares beyond the daily cap move to the next day, until the story expires', () => {
  const days = plan(7, { cap: 3, before: hours(50) }).map((seconds) => Math.floor(seconds / 86_400))
  expect(days).toEqual([0, 0, 0, 1, 1, 1, 2])
  expect(plan(20, { cap: 3, before: hours(20) })).toHaveLength(3)
  expect(plan(2, { cap: 0 })).toEqual([])
})
