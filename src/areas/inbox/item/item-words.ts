import { sql } from 'kysely'
import type { Context } from '#kernel/context.ts'
import { later } from '#kernel/database/database.ts'
import { wordsColumn } from './words.ts'

/** More words than an item is searched by anyway; a column of words has an end. */
const enough = 2000

/** Lets an item that is held be found by what one of us said in it, too. */
export const addWords = ({ db, accountId }: Context, itemId: string, text: string) =>
  later(
    db,
    sql`update inbox_items set words = words || ${wordsColumn(accountId, [text])}
      where account_id = ${accountId} and id = ${itemId} and length(words) < ${enough}`,
  )
