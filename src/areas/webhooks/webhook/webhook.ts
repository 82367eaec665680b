import type { Context } from '#kernel/context.ts'
import { contains } from '#kernel/database/contains.ts'
import { type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outside } from '#kernel/outside.ts'
import { makeRoom } from '#kernel/room/room.ts'
import { giveUpWaiting, switchedOff } from '../delivery/give-up.ts'
import { newSecret, sealSecret } from './webhook-secret.ts'
import { type WebhookChanges, type WebhookDraft, webhookColumns } from './webhook-shape.ts'

export async function get(context: Context, { id }: { id: string }) {
  const webhook = await visible(context).where('id', '=', id).executeTakeFirst()
  if (!webhook) throw missing('Webhook')
  return webhook
}

interface Search {
  event?: string | undefined
  name?: string | undefined
  page: Page
}

export function search(context: Context, { event, name, page }: Search) {
  const matching = visible(context)
    .$if(event !== undefined, (rows) => rows.where('event', '=', event ?? ''))
    .$if(name !== undefined, (rows) => rows.where('name', 'ilike', contains(name ?? '')))
  return paginate(matching, page)
}

/** For what the columns have no default. */
const standard = { description: '', isEnabled: true, isHidden: false }

/** Gives the secret along: it is shown this once. */
export async function create(context: Context, draft: WebhookDraft) {
  const { db, accountId, userId, now, keyring } = context
  const id = newId('webhook', now)
  await makeRoom(context, 'webhooks', visible(context))
  const secret = newSecret()
  const sealed = sealSecret(keyring, { accountId, id }, secret)
  const made = { accountId, id, created: now, modified: now, createdBy: userId, secret: sealed }
  const row = { ...made, ...standard, ...draft }
  const webhook = await db.insertInto('webhooks').values(row).returning(webhookColumns).executeTakeFirstOrThrow()
  return { ...webhook, secret }
}

export async function update(context: Context, { id, ...given }: WebhookChanges) {
  const { db, accountId, now } = context
  // Switched on by hand, it starts with a clean slate.
  const cleared = given.isEnabled ? { failingSince: null, disabledReason: '' } : {}
  const webhook = await db
    .updateTable('webhooks')
    .set({ ...given, ...cleared, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning(webhookColumns)
    .executeTakeFirst()
  if (!webhook) throw missing('Webhook')
  if (given.isEnabled === false) await giveUpWaiting(context, id, switchedOff)
  return webhook
}

/** Gives the new secret, shown this once. The one before proves calls as well for another day. */
export async function rotateSecret(context: Context, { id }: { id: string }): Promise<string> {
  const { db, accountId, now, keyring } = context
  const secret = newSecret()
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set(({ ref }) => ({
      previousSecret: ref('secret'),
      previousUntil: new Date(now.getTime() + overlap),
      secret: sealSecret(keyring, { accountId, id }, secret),
      modified: now,
    }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw missing('Webhook')
  return secret
}

const overlap = 24 * 60 * 60 * 1000

/** Its log is removed later, by the hour. */
export async function remove({ db, accountId }: Context, { id }: { id: string }) {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Webhook')
  await db.deleteFrom('webhookDeliveries').where('accountId', '=', accountId).where('webhookId', '=', id).execute()
  await db.deleteFrom('webhookLanes').where('account', '=', accountId).where('webhook', '=', id).execute()
}

/** Refuses an address that must not be called; asks name servers, so it comes before any statement. */
export async function judge({ outbound }: Outside, { url }: { url?: string | undefined }) {
  if (url === undefined) return
  try {
    await outbound.check(url)
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    // A name that cannot be resolved right now is judged again at every call.
    if (error.kind === 'refused-address') throw invalid(`url is not accepted. ${error.message}`)
  }
}

const visible = ({ db, accountId }: Context) =>
  db.selectFrom('webhooks').select(webhookColumns).where('accountId', '=', accountId)
