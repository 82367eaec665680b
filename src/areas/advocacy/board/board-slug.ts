import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import { conflict } from '#kernel/errors.ts'

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
