import { randomInt } from 'node:crypto'

/** Told apart on a calendar, and readable in white and in black. */
const colors = [
  '#2456D6',
  '#C2410C',
  '#0F766E',
  '#9333EA',
  '#B91C1C',
  '#4D7C0F',
  '#0369A1',
  '#BE185D',
  '#A16207',
  '#4338CA',
]

export const newColor = () => colors[randomInt(colors.length)] as string
