import type { z } from 'zod'
import { invalid, Refusal } from '../../errors.ts'
import { statusOf } from '../answer/answer.ts'
import { type CookieWish, sessionCookie } from '../entrance/session-cookie.ts'
import type { PageAnswer, Visit } from './page.ts'

/** What pages with forms have in common: what was filled in, and how it goes on. */

export const shown = (body: string): PageAnswer => ({ status: 200, body })

export const seeOther = (location: string, cookie: string): PageAnswer => ({
  status: 303,
  headers: { location, 'set-cookie': cookie },
  body: '',
})

/** Whoever has a session from now on goes to where everybody begins. */
export const begun = ({ secure }: Visit, { token, seconds }: CookieWish) =>
  seeOther('/app', sessionCookie({ token, seconds }, secure))

/** Who made a mistake sees the form again, with the reason. */
export async function orAgain(
  work: () => Promise<PageAnswer>,
  form: (problem: string) => string | Promise<string>,
): Promise<PageAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { retryAfter } = error
    const wait = retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }
    return { status: statusOf(error), ...wait, body: await form(error.message) }
  }
}

export function read<Schema extends z.ZodType>(schema: Schema, values: Visit['values']): z.output<Schema> {
  const { success, data, error } = schema.safeParse(values)
  if (!success) throw invalid(`${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}.`)
  return data
}

export function textOf({ values }: Visit, name: string): string {
  const value = values[name]
  return typeof value === 'string' ? value.slice(0, 254) : ''
}
