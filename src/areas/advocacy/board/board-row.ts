import type { Selectable } from 'kysely'
import { scopeIds } from '#areas/account/declarations.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { localOf, momentOf } from '#areas/publishing/queue/slot.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { heldRows } from '#kernel/database/locks.ts'
import type { Boards } from '#kernel/database/tables.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { newId } from '#kernel/ids.ts'
import { advocacyChanges, advocacyIds } from '../declarations.ts'

export type BoardRow = Selectable<Boards>

/** The boards that the caller's teams may see. */
export const visibleBoards = (context: Context) =>
  context.db.selectFrom('boards').where('accountId', '=', context.accountId).where(withinTeams(context, 'boards.id'))

/** A board that the caller may see, archived or not. */
export async function requireBoard(context: Context, id: string): Promise<BoardRow> {
  const board = await visibleBoards(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!board) throw missing('Board')
  return board
}

/** Refuses a board that a parameter names and that is not there, or that may not be seen. */
export async function requireNamedBoard(context: Context, id: string): Promise<BoardRow> {
  const board = await visibleBoards(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!board) throw invalid(`boardId names no board: "${id.slice(0, 40)}".`)
  return board
}

/** The boards of these ids as they are, until the transaction ends: whoever comes to one or leaves it meanwhile waits. */
export const holdBoards = ({ db, accountId }: Context, ids: readonly string[]): Promise<BoardRow[]> =>
  db
    .selectFrom('boards')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(heldRows('boards', 'no key update'))
    .execute()

/** Refuses what makes no sense on a board that nobody can open. */
export function refuseArchived({ status, name }: Pick<BoardRow, 'status' | 'name'>) {
  if (status === 'archived') throw conflict(`The board "${name}" is archived. Make it active first.`)
}

export const hintBoard = ({ hint }: Context, id: string) =>
  hint({ kind: advocacyChanges.board, id, parent: null, scope: id })

export const watchedBoards: Watched = {
  kind: advocacyChanges.board,
  reference: scopeIds.board,
  async find(context, id) {
    const board = await visibleBoards(context).select('id').where('id', '=', id).executeTakeFirst()
    return board && { parent: null, scope: id }
  },
}

type Settings = Pick<BoardRow, 'notificationsDay' | 'notificationsHour' | 'notificationsZone'>

const day = 24 * 60 * 60 * 1000

/** The hour, in UTC, at which the letters of a board leave around this moment; in zones that change their clocks it does too. */
export function hourInUtc({ notificationsHour, notificationsZone }: Settings, now: Date): string {
  try {
    const moment = momentOf(localOf(now, notificationsZone), notificationsHour * 60, notificationsZone)
    return String(moment.getUTCHours())
  } catch {
    // A zone that is no longer known must not keep anybody from seeing the board.
    return String(notificationsHour)
  }
}

/** When the next letter is due after a moment; nothing where none is wanted. */
export function nextDigest(
  board: Settings & Pick<BoardRow, 'notificationsEnabled' | 'status'>,
  after: Date,
): Date | null {
  const { notificationsEnabled, status, notificationsDay, notificationsHour, notificationsZone } = board
  if (!notificationsEnabled || status !== 'active') return null
  for (let days = -1; days <= 8; days++) {
    const local = localOf(new Date(after.getTime() + days * day), notificationsZone)
    const due = momentOf(local, notificationsHour * 60, notificationsZone)
    if (due > after && (notificationsDay === null || notificationsDay === local.weekday)) return due
  }
  return null
}

export interface CustomField {
  id: string
  name: string
  options: readonly NamedOption[]
}

export interface NamedOption {
  id: string
  name: string
}

/** What a board asks of its advocates, read out of its row; what has no such form is left out. */
export const customFieldsOf = ({ customFields }: { customFields: unknown }): CustomField[] =>
  Array.isArray(customFields) ? customFields.filter(isField) : []

const isNamed = (value: unknown): value is NamedOption =>
  typeof (value as NamedOption | null)?.id === 'string' && typeof (value as NamedOption).name === 'string'

const isField = (value: unknown): value is CustomField => {
  const { options } = (value ?? {}) as { options?: unknown }
  return isNamed(value) && Array.isArray(options) && options.every(isNamed)
}

/** The fields that somebody writes, with the ids of those that were there by the same name. */
export function withIds(
  given: readonly { name: string; options: readonly string[] }[],
  before: readonly CustomField[],
  now: Date,
): CustomField[] {
  return given.map(({ name, options }) => {
    const known = before.find((field) => isSame(field.name, name))
    const id = known?.id ?? newId(advocacyIds.customField, now)
    return {
      id,
      name,
      options: options.map((option) => {
        const same = known?.options.find((one) => isSame(one.name, option))
        return { id: same?.id ?? newId(advocacyIds.customOption, now), name: option }
      }),
    }
  })
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** What an advocate chose of each field, by name; what the board no longer asks is left out. */
export function chosenOf(fields: readonly CustomField[], values: unknown) {
  const chosen = (values ?? {}) as { readonly [fieldId: string]: unknown }
  return fields.flatMap(({ id, name, options }) => {
    const option = options.find((one) => one.id === chosen[id])
    return option ? [{ fieldId: id, fieldName: name, option }] : []
  })
}

/** The directory of boards by their names in addresses, which are unique over the whole installation. It says nothing but where to look. */

/** Gives a board this name, if nobody has it. */
export async function takeSlug(context: Context, boardId: string, slug: string) {
  if (!(await tryToTake(context, boardId, slug)))
    throw conflict(`The address name "${slug}" is taken by another board. Choose another slug.`)
}

/** Gives a board a name made of its own, the first that nobody has. */
export async function takeSlugOf(context: Context, boardId: string, name: string): Promise<string> {
  const plain = slugOf(name)
  for (let number = 1; number < mostTries; number++) {
    const slug = number === 1 ? plain : `${plain}-${number}`
    if (await tryToTake(context, boardId, slug)) return slug
  }
  // Its own id is nobody else's.
  const own = `${plain}-${boardId.toLowerCase()}`
  await takeSlug(context, boardId, own)
  return own
}

const mostTries = 5
const longest = 40

/** Letters of other alphabets have no place in it: a board without any gets a plain word. */
function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((word) => word !== '')
  const slug = words.join('-').slice(0, longest)
  return slug.length < 2 ? 'board' : slug.endsWith('-') ? slug.slice(0, -1) : slug
}

async function tryToTake({ db, accountId }: Context, boardId: string, slug: string): Promise<boolean> {
  const taken = await db
    .insertInto('boardSlugs')
    .values({ slug, account: accountId, boardId })
    .onConflict((on) => on.doNothing())
    .returning('slug')
    .executeTakeFirst()
  return taken !== undefined
}

export const leaveSlug = ({ db, accountId }: Context, slug: string) =>
  db.deleteFrom('boardSlugs').where('slug', '=', slug).where('account', '=', accountId).execute()

/** Whose a board is, asked by somebody who is not known. */
export const findBySlug = (shared: Db, slug: string) =>
  shared
    .selectFrom('boardSlugs')
    .select(['account as accountId', 'boardId'])
    .where('slug', '=', slug.toLowerCase())
    .executeTakeFirst()
