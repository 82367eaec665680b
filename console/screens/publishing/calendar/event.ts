import { addDays, type Day, dayAt, momentOf, wallOf } from '../../../time/days.ts'
import { dayLength, zoneLens } from '../../../time/zone-lens.ts'
import { readersZone } from '../../../words/format.ts'
import type { Answer } from './plan.ts'

export type CalendarEvent = Answer['CustomEvents'][number]
export type EventsByDay = ReadonlyMap<Day, readonly CalendarEvent[]>
export const noEvents: readonly CalendarEvent[] = []

/** The longest stretch that is drawn. */
const mostDays = 92

/** What lies on each day of the reader's clock. */
export function eventsByDay(events: readonly CalendarEvent[], wall: (moment: number) => number): EventsByDay {
  const days = new Map<Day, CalendarEvent[]>()
  for (const event of events) {
    const [first, last] = [event.StartDateTime, event.EndDateTime].map((moment) =>
      Math.floor(wall(momentOf(moment)) / dayLength),
    ) as [number, number]
    for (let day = first; day <= Math.min(last, first + mostDays); day++) {
      const name = new Date(day * dayLength).toISOString().slice(0, 10)
      days.set(name, [...(days.get(name) ?? []), event])
    }
  }
  return days
}

/** The days it lies on, the first and the last. */
export function daysOfEvent({ StartDateTime, EndDateTime }: CalendarEvent): [Day, Day] {
  const [from, until] = [momentOf(StartDateTime), momentOf(EndDateTime)]
  const lens = zoneLens(readersZone(), from, until)
  return [dayAt(lens, from), dayAt(lens, until)]
}

/** From the first moment of one day to the last of another, in seconds. */
export function momentsOfDays(first: Day, last: Day): { startDate: number; endDate: number } {
  const lens = zoneLens(readersZone(), wallOf(first) - dayLength, wallOf(last) + 2 * dayLength)
  const seconds = (day: Day) => Math.floor(lens.moment(wallOf(day)) / 1000)
  return { startDate: seconds(first), endDate: seconds(addDays(last, 1)) - 1 }
}

const letters: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/** What people read of a text with a little formatting; here it is plain. */
export const plainOf = (html: string) =>
  html
    .replace(/<br ?\/?>|<\/(?:p|li|blockquote)>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => letters[name] ?? '')
    .trim()

/** The way back. */
export const htmlOf = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br />')
