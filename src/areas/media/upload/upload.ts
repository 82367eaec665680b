import type { Context } from '#kernel/context.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import type { Upload } from './upload-row.ts'

export async function get(context: Context, { id }: { id: string }) {
  const upload = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!upload) throw missing('Upload')
  return upload
}

interface Search {
  status?: Upload['status'] | undefined
  source?: string | undefined
  page: Page
}

export function search(context: Context, { status, source = '', page }: Search) {
  const matching = visible(context)
    .$if(status !== undefined, (rows) => rows.where('status', '=', status as Upload['status']))
    .$if(source !== '', (rows) => rows.where('source', '=', source))
  return paginate(matching, page)
}

/** What is not there yet, however it comes. */
export const underWay = ({ db, accountId }: Context) =>
  db.selectFrom('uploads').where('accountId', '=', accountId).where('status', '=', 'pending')

/** Those a browser sends itself have no source and are the console's alone. */
const visible = ({ db, accountId }: Context) =>
  db.selectFrom('uploads').selectAll().where('accountId', '=', accountId).where('source', '<>', '')
