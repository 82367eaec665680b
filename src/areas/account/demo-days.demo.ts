import type { Context } from '#kernel/context.ts'

export const owner = '00Ademo00000001'
export const publisher = '00Ademo00000002'
export const contributor = '00Ademo00000003'

const day = 24 * 60 * 60 * 1000

/** The same ids in every installation: `002demo00000007`. */
export const demoId = (prefix: string, number: number) => `${prefix}demo${String(number).padStart(8, '0')}`

/** Relative to the first start. */
export const daysFrom =
  ({ now }: Pick<Context, 'now'>) =>
  (days: number) =>
    new Date(now.getTime() + days * day)

/** The same with a time of day: minutes after midnight UTC on the day of the first start. */
export const clockFrom =
  ({ now }: Pick<Context, 'now'>) =>
  (days: number, minutes: number) =>
    new Date(now.getTime() - (now.getTime() % day) + days * day + minutes * 60_000)
