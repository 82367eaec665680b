import type { Context } from '#kernel/context.ts'
import { conflict, missing } from '#kernel/errors.ts'
import { get, hold, visible } from './link.ts'
import { changesOf, lastDisabling, noteChange } from './link-change.ts'
import { fileLink } from './link-directory.ts'

/** Lets a link lead nowhere from now on: whoever follows it is told that it was switched off. */
export async function disable(context: Context, { id, reason = '' }: { id: string; reason?: string | undefined }) {
  const link = await hold(context, id)
  if (link.disabled) throw conflict('The link is switched off already.')
  await noteChange(context, { linkId: id, what: 'disabled', before: '', after: reason })
  return setDisabled(context, id, { disabled: context.now, disabledReason: reason })
}

export async function enable(context: Context, { id }: { id: string }) {
  const link = await hold(context, id)
  if (!link.disabled) throw conflict('The link is not switched off.')
  const last = await lastDisabling(context, id)
  // Changes of the operator have no user.
  if (last?.userId === '' && context.userId !== '')
    throw conflict('The link was switched off by the operator of this service; only the operator can switch it on.')
  await noteChange(context, { linkId: id, what: 'enabled', before: link.disabledReason, after: '' })
  return setDisabled(context, id, { disabled: null, disabledReason: '' })
}

/** Who changed the link and how, the latest first. */
export async function changes(context: Context, { id }: { id: string }) {
  if (!(await visible(context).where('id', '=', id).executeTakeFirst())) throw missing('Link')
  return changesOf(context, id)
}

async function setDisabled(context: Context, id: string, standing: { disabled: Date | null; disabledReason: string }) {
  const link = await context.db
    .updateTable('links')
    .set({ ...standing, modified: context.now })
    .where('accountId', '=', context.accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
  await fileLink(context, link)
  return get(context, id)
}
