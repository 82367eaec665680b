import type { Selectable } from 'kysely'
import { scopeIds } from '#areas/account/declarations.ts'
import { withinTeams } from '#areas/account/team/visibility.ts'
import { localOf, momentOf } from '#areas/publishing/queue/local-time.ts'
import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { lockRows } from '#kernel/database/locks.ts'
import type { Boards } from '#kernel/database/tables.ts'
import { conflict, invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { advocacyChanges, advocacyIds } from '../declarations.ts'

export type BoardRow = Selectable<Boards>

/** Boards visible to the caller's teams. */
export const visibleBoards = (context: Context) =>
  context.db.selectFrom('boards').where('accountId', '=', context.accountId).where(withinTeams(context, 'boards.id'))

/** A board visible to the caller, archived or not. */
export async function requireBoard(context: Context, id: string): Promise<BoardRow> {
  const board = await visibleBoards(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!board) throw missing('Board')
  return board
}

/** Rejects a board parameter that is missing or not visible. */
export async function requireNamedBoard(context: Context, id: string): Promise<BoardRow> {
  const board = await visibleBoards(context).selectAll().where('id', '=', id).executeTakeFirst()
  if (!board) throw invalid(`boardId names no board: "${id.slice(0, 40)}".`)
  return board
}

/** Locks boards until commit, so that concurrent joins and leaves wait. */
export const holdBoards = ({ db, accountId }: Context, ids: readonly string[]): Promise<BoardRow[]> =>
  db
    .selectFrom('boards')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .modifyEnd(lockRows('boards', 'no key update'))
    .execute()

/** Rejects actions that make no sense on an archived board. */
export function refuseArchived({ status, name }: Pick<BoardRow, 'status' | 'name'>) {
  if (status === 'archived') throw conflict(`The board "${name}" is archived. Make it active first.`)
}

export const notifyBoardChanged = ({ notifyChange }: Context, id: string) =>
  notifyChange({ kind: advocacyChanges.board, id, parent: null, scope: id })

export const watchedBoards: PresenceKind = {
  kind: advocacyChanges.board,
  reference: scopeIds.board,
  async find(context, id) {
    const board = await visibleBoards(context).select('id').where('id', '=', id).executeTakeFirst()
    return board && { parent: null, scope: id }
  },
}

type Settings = Pick<BoardRow, 'notificationsDay' | 'notificationsHour' | 'notificationsZone'>

const day = 24 * 60 * 60 * 1000

/** The hour in UTC at which the board's emails are sent around this time; depends on daylight saving. */
export function hourInUtc({ notificationsHour, notificationsZone }: Settings, now: Date): string {
  try {
    const moment = momentOf(localOf(now, notificationsZone), notificationsHour * 60, notificationsZone)
    return String(moment.getUTCHours())
  } catch {
    // An unknown time zone must not prevent reading the board.
    return String(notificationsHour)
  }
}

/** Time of the next digest email after a time; undefined if disabled. */
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

/** Custom fields of a board, parsed from its row; malformed ones are skipped. */
export const customFieldsOf = ({ customFields }: { customFields: unknown }): CustomField[] =>
  Array.isArray(customFields) ? customFields.filter(isField) : []

const isNamed = (value: unknown): value is NamedOption =>
  typeof (value as NamedOption | null)?.id === 'string' && typeof (value as NamedOption).name === 'string'

const isField = (value: unknown): value is CustomField => {
  const { options } = (value ?? {}) as { options?: unknown }
  return isNamed(value) && Array.isArray(options) && options.every(isNamed)
}

/** Written fields with the ids of existing ones of the same name. */
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

/** Selected options by field name; fields the board no longer has are omitted. */
export function chosenOf(fields: readonly CustomField[], values: unknown) {
  const chosen = (values ?? {}) as { readonly [fieldId: string]: unknown }
  return fields.flatMap(({ id, name, options }) => {
    const option = options.find((one) => one.id === chosen[id])
    return option ? [{ fieldId: id, fieldName: name, option }] : []
  })
}

/** Directory of board slugs, which are unique across the installation. It contains only the account and id. */

/** Assigns this slug to a board if it is free. */
export async function takeSlug(context: Context, boardId: string, slug: string) {
  if (!(await tryToClaim(context, boardId, slug)))
    throw conflict(`The address name "${slug}" is taken by another board. Choose another slug.`)
}

/** Assigns the first free slug derived from the board's name. */
export async function takeSlugOf(context: Context, boardId: string, name: string): Promise<string> {
  const plain = slugOf(name)
  for (let number = 1; number < mostTries; number++) {
    const slug = number === 1 ? plain : `${plain}-${number}`
    if (await tryToClaim(context, boardId, slug)) return slug
  }
  // Unique, since it contains the id.
  const own = `${plain}-${boardId.toLowerCase()}`
  await takeSlug(context, boardId, own)
  return own
}

const mostTries = 5
const longest = 40

/** Other alphabets are dropped: a board without Latin letters gets a generic slug. */
function slugOf(name: string): string {
  const parts = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((part) => part !== '')
  const slug = parts.join('-').slice(0, longest)
  return slug.length < 2 ? 'board' : slug.endsWith('-') ? slug.slice(0, -1) : slug
}

async function tryToClaim({ db, accountId }: Context, boardId: string, slug: string): Promise<boolean> {
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

/** Account of a board, for unauthenticated requests. */
export const findBySlug = (shared: Db, slug: string) =>
  shared
    .selectFrom('boardSlugs')
    .select(['account as accountId', 'boardId'])
    .where('slug', '=', slug.toLowerCase())
    .executeTakeFirst()
