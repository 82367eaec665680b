import type { Json } from '../wire/json.ts'

/** One thing in an answer. */
export type Row = { [name: string]: Json }

export const isRow = (value: Json | undefined): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const rowsIn = (row: Row, name: string): Row[] => {
  const list = row[name]
  return Array.isArray(list) ? list.filter(isRow) : []
}

/** Ids come as texts or as bare numbers; nothing where there is none. */
export function textIn(row: Row, name: string): string | undefined {
  const value = row[name]
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberIn(row: Row, name: string): number | undefined {
  const value = Number(textIn(row, name) ?? Number.NaN)
  return Number.isFinite(value) ? value : undefined
}

/** Seconds in answers, milliseconds in some pushes. */
export function timeIn(row: Row, name: string): Date | undefined {
  const value = numberIn(row, name)
  if (value === undefined) return undefined
  return new Date(value > secondsOfTheYear5000 ? value : value * 1000)
}

const secondsOfTheYear5000 = 95_617_584_000
