import { expect, test } from 'vitest'
import { processorTime } from '../../../../tests/support/measurement.ts'
import { nextFree, type Slot, slotMoments } from './queue-slot.ts'

const weekdays = [0, 1, 2, 3, 4, 5, 6] as const
const monday = (minutes: number): Slot => ({ weekday: 1, minutes })
const daily = (minutes: number): Slot[] => weekdays.map((weekday) => ({ weekday, minutes }))
const at = (hours: number, minutes = 0) => hours * 60 + minutes

function moments(slots: Slot[], timezone: string, after: string, count: number): string[] {
  const found: string[] = []
  for (const moment of slotMoments(slots, timezone, new Date(after))) {
    found.push(moment.toISOString().replace(':00.000Z', 'Z'))
    if (found.length === count) break
  }
  return found
}

test('moments are sorted and unique, regardless of the order of slots', () => {
  const slots = [{ weekday: 3, minutes: at(8) } as const, monday(at(17)), monday(at(9)), monday(at(9))]
  expect(moments(slots, 'Asia/Kolkata', '2026-06-01T00:00Z', 4)).toEqual([
    '2026-06-01T03:30Z',
    '2026-06-01T11:30Z',
    '2026-06-03T02:30Z',
    '2026-06-08T03:30Z',
  ])
})

test('the start is exclusive', () => {
  expect(moments([monday(at(9))], 'UTC', '2026-06-01T09:00:00.000Z', 1)).toEqual(['2026-06-08T09:00Z'])
  expect(moments([monday(at(9))], 'UTC', '2026-06-01T08:59:59.999Z', 1)).toEqual(['2026-06-01T09:00Z'])
})

test('weekdays are those of the time zone, not of UTC', () => {
  expect(moments([monday(0)], 'Pacific/Kiritimati', '2026-06-06T00:00Z', 1)).toEqual(['2026-06-07T10:00Z'])
  expect(moments([monday(1439)], 'Pacific/Niue', '2026-06-06T00:00Z', 1)).toEqual(['2026-06-09T10:59Z'])
})

test.each<[string, string, number[], string, string[]]>([
  [
    'an hour in spring',
    'Europe/Berlin',
    [120, 150, 179],
    '2026-03-29T00:00Z',
    ['2026-03-29T01:00Z', '2026-03-30T00:00Z'],
  ],
  ['half an hour', 'Australia/Lord_Howe', [120, 145], '2026-10-03T15:00Z', ['2026-10-03T15:30Z', '2026-10-04T15:00Z']],
  ['two hours', 'Antarctica/Troll', [60, 179], '2026-03-29T00:00Z', ['2026-03-29T01:00Z', '2026-03-29T23:00Z']],
  ['midnight in Beirut', 'Asia/Beirut', [0, 59], '2026-03-28T21:00Z', ['2026-03-28T22:00Z', '2026-03-29T21:00Z']],
  ['midnight in Cairo', 'Africa/Cairo', [0, 30], '2026-04-23T21:59Z', ['2026-04-23T22:00Z', '2026-04-24T21:00Z']],
  ['midnight in Santiago', 'America/Santiago', [1], '2026-09-06T03:59Z', ['2026-09-06T04:00Z', '2026-09-07T03:01Z']],
  [
    'the hour before midnight',
    'America/Nuuk',
    [0, 1410],
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00Z', '2026-03-30T00:30Z'],
  ],
  [
    'half an hour at midnight',
    'Asia/Pyongyang',
    [0, 1425],
    '2018-05-04T14:59Z',
    ['2018-05-04T15:00Z', '2018-05-05T14:45Z'],
  ],
])('slots in a gap occur together right after it: %s', (_, timezone, minutes, after, expected) => {
  expect(moments(minutes.flatMap(daily), timezone, after, 2)).toEqual(expected)
})

test.each<[string, string, number, string, string[]]>([
  ['Berlin', 'Europe/Berlin', at(2, 30), '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
  ['New York', 'US/Eastern', at(1), '2026-10-31T12:00Z', ['2026-11-01T05:00Z', '2026-11-02T06:00Z']],
  ['Lord Howe', 'Australia/Lord_Howe', at(1, 45), '2026-04-04T10:00Z', ['2026-04-04T14:45Z', '2026-04-05T15:15Z']],
  ['Troll', 'Antarctica/Troll', at(2), '2026-10-24T12:00Z', ['2026-10-25T00:00Z', '2026-10-26T02:00Z']],
  ['Cairo', 'Africa/Cairo', at(23, 30), '2026-10-29T12:00Z', ['2026-10-29T20:30Z', '2026-10-30T21:30Z']],
  ['a minute past midnight', 'America/St_Johns', 0, '2010-11-06T12:00Z', ['2010-11-07T02:30Z', '2010-11-08T03:30Z']],
])('a slot in a repeated hour occurs the first time only: %s', (_, timezone, minutes, after, expected) => {
  expect(moments(daily(minutes), timezone, after, 2)).toEqual(expected)
  // Between the two occurrences, the slot has already passed for that day.
  const [first, second] = expected as [string, string]
  expect(moments(daily(minutes), timezone, first, 1)).toEqual([second])
})

test.each([
  ['Pacific/Apia', '2011-12-29T20:00Z', ['2011-12-30T09:59Z', '2011-12-31T09:59Z']],
  ['Pacific/Kwajalein', '1993-08-20T20:00Z', ['1993-08-21T11:59Z', '1993-08-22T11:59Z']],
])('a day that a time zone skipped has no slots: %s', (timezone, after, expected) => {
  expect(moments(daily(at(23, 59)), timezone, after, 2)).toEqual(expected)
  // A slot on the missing day waits for the next week; it does not move to the start of the following day.
  const missing = new Date(`${expected[0]}`).getUTCDay() as Slot['weekday']
  const [next] = moments([{ weekday: missing, minutes: at(12) }], timezone, after, 1)
  expect(Date.parse(next as string) - Date.parse(after)).toBeGreaterThan(6 * 24 * 60 * 60 * 1000)
})

test('the next free moment is the first that is not taken', () => {
  const [first, second, third] = moments(daily(600), 'Europe/Paris', '2026-03-27T00:00Z', 3).map(Date.parse)
  const next = (...taken: (number | undefined)[]) =>
    nextFree(daily(600), 'Europe/Paris', new Date('2026-03-27T00:00Z'), new Set(taken as number[]))?.getTime()
  expect([next(), next(first), next(second), next(first, second)]).toEqual([first, second, first, third])
})

test('without slots there is no moment, and the search ends after two years', () => {
  const after = new Date('2026-01-01T00:00Z')
  expect([...slotMoments([], 'UTC', after)]).toEqual([])
  expect(nextFree([], 'UTC', after, new Set())).toBeUndefined()
  const taken = new Set(moments(daily(540), 'UTC', '2026-01-01T00:00Z', 900).map(Date.parse))
  expect(nextFree(daily(540), 'UTC', after, taken)).toBeUndefined()
  const twoYearsLessOneWeek = new Set([...taken].slice(0, 723))
  expect(nextFree(daily(540), 'UTC', after, twoYearsLessOneWeek)?.toISOString()).toBe('2027-12-25T09:00:00.000Z')
})

test.each([{ weekday: 7, minutes: 0 }, { weekday: 1.5, minutes: 0 }, monday(1440), monday(-1), monday(0.5)])(
  'a slot outside the week is refused: %o',
  (slot) => {
    expect(() => nextFree([slot as Slot], 'UTC', new Date(0), new Set())).toThrow('A slot has a weekday from 0')
  },
)

test('an unknown time zone is named in the error', () => {
  expect(() => nextFree([monday(0)], 'Mars/Olympus', new Date(0), new Set())).toThrow('"Mars/Olympus" is not known')
})

test('ten times as many moments take about ten times as long', () => {
  const time = (count: number, timezone: string) => {
    const started = processorTime()
    expect(moments([monday(540), ...daily(600)], timezone, '2026-01-01T00:00Z', count)).toHaveLength(count)
    return processorTime() - started
  }
  // The best of several runs, each in a zone that is not cached yet, so that other load on the machine does not matter.
  const best = (count: number, zones: string[]) => Math.min(...zones.map((zone) => time(count, zone)))
  const few = best(1_000, ['America/Chicago', 'America/Denver', 'America/Boise'])
  expect(best(10_000, ['Asia/Tokyo', 'Asia/Seoul', 'Asia/Dhaka', 'Asia/Dubai'])).toBeLessThan(40 * few)
})
