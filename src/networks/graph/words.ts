import { composed } from '../content/text-length.ts'
import type { Json } from '../wire/json.ts'
import { textAt, timeAt } from './graph.ts'

/** How Meta shows a text back: line ends are unified, blanks around it cut off. */
export const shown = (text: string) => composed(text.replace(/\r\n?/g, '\n')).trim()

/** Whether something was said in these words since then; clocks differ, so a minute is forgiven. */
export function isSaid(row: Json, names: { text: string; time: string }, text: string, since: Date): boolean {
  return shown(textAt(row, names.text) ?? '') === shown(text) && isSince(row, names.time, since)
}

export function isSince(row: Json, name: string, since: Date): boolean {
  return (timeAt(row, name)?.getTime() ?? 0) >= since.getTime() - 60_000
}
