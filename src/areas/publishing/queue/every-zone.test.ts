import { expect, test } from 'vitest'
import { hour, leaps, minute, type Readings, readings } from './clock-reading.fixture.ts'
import { localOf, momentOf, type Weekday } from './local-time.ts'
import { type Slot, slotMoments } from './queue-slot.ts'
import { zoneNames } from './zone-names.fixture.ts'

const names = zoneNames()
const [from, until] = [Date.UTC(2025, 0, 1), Date.UTC(2027, 0, 1)]
const quarter = 15 * minute
const everyQuarter = Array.from({ length: 7 * 96 }, (_, index) => ({
  weekday: Math.floor(index / 96) as Weekday,
  minutes: (index % 96) * 15,
}))

interface Window {
  at: number
  clock: Readings
}

const known = new Map<string, Window[]>()

/** The offset changes of two years, or any two days if there are none; for aliases of a zone one change in each direction is enough. */
function windowsOf(name: string): Window[] {
  const zone = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  const windows = known.get(zone) ?? readWindows(zone)
  known.set(zone, windows)
  return name === zone ? windows : windows.slice(0, 2)
}

function readWindows(zone: string): Window[] {
  const found = leaps(zone, from, until)
  const moments = found.length > 0 ? found : [Date.UTC(2026, 5, 15, 12)]
  return moments.map((at) => ({ at, clock: readings(zone, at - 30 * hour, at + 30 * hour, quarter) }))
}

test('every time zone name is tested, and many zones change their offset', () => {
  expect(names.length).toBeGreaterThanOrEqual(600)
  const changing = names.filter((name) => windowsOf(name).length > 1)
  expect(changing.length).toBeGreaterThan(200)
  expect(changing.length).toBeLessThan(350)
})

test('with a slot every quarter of an hour, each local time gives one moment, also in a repeated hour', () => {
  const wrong = names.flatMap((name) =>
    windowsOf(name)
      .filter(({ at, clock }) => {
        const firsts = [...clock.shown].filter(([moment, wall]) => clock.momentOf(wall) === moment)
        const expected = firsts.map(([moment]) => moment).filter((moment) => moment > at - 24 * hour)
        return String(momentsOf(everyQuarter, name, at - 24 * hour, expected.length)) !== String(expected)
      })
      .map(({ at }) => `${name} at ${new Date(at).toISOString()}`),
  )
  expect(wrong).toEqual([])
})

test('each slot near an offset change occurs once, at its minute or right after the gap', () => {
  const wrong: string[] = []
  for (const name of names) {
    for (const { at, clock } of windowsOf(name)) {
      const before = clock.shown.get(at - quarter)! + quarter
      for (let wall = before - 3 * hour; wall <= before + 3 * hour; wall += quarter) {
        const expected = clock.momentOf(wall)!
        const [first, second] = momentsOf([slotAt(wall)], name, at - 24 * hour, 2) as [number, number]
        const early = clock.shown.get(expected)! < wall
        if (first !== expected || early || second - first < 6 * 24 * hour || second - first > 8 * 24 * hour) {
          wrong.push(`${name}: ${new Date(wall).toISOString()} goes out at ${new Date(first).toISOString()}`)
        }
      }
    }
  }
  expect(wrong).toEqual([])
})

test('local times match a formatted clock and convert back to their first moment', () => {
  const wrong: string[] = []
  for (const name of names) {
    for (const { clock } of windowsOf(name)) {
      for (const [moment, wall] of clock.shown) {
        const local = localOf(new Date(moment), name)
        const same = Date.UTC(local.year, local.month - 1, local.day, 0, local.minutes) === wall
        const back = momentOf(local, local.minutes, name).getTime() === clock.momentOf(wall)
        if (!same || local.weekday !== new Date(wall).getUTCDay() || !back) wrong.push(`${name} at ${moment}`)
      }
    }
  }
  expect(wrong).toEqual([])
})

function slotAt(wall: number): Slot {
  const shown = new Date(wall)
  return { weekday: shown.getUTCDay() as Weekday, minutes: shown.getUTCHours() * 60 + shown.getUTCMinutes() }
}

function momentsOf(slots: Slot[], timezone: string, after: number, count: number): number[] {
  const found: number[] = []
  for (const moment of slotMoments(slots, timezone, new Date(after))) {
    found.push(moment.getTime())
    if (found.length === count) break
  }
  return found
}
