import { randomBytes } from 'node:crypto'
import { change, systemActor } from '#kernel/change.ts'
import { day } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import { contains, type Page, paginate } from '#kernel/database/paginate.ts'
import { invalid, missing } from '#kernel/errors.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import { newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import { reserveQuota } from '#kernel/quotas/quotas.ts'
import type { Keyring } from '#kernel/secrets/keyring.ts'
import { webhookIds, webhookQuotas } from './declarations.ts'
import { cancelPending, disabledByUser, type WebhookClaim } from './deliveries.ts'
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

const defaults = { description: '', isEnabled: true, isHidden: false }

/** The response carries the secret; it is not shown again. */
export async function create(context: Context, draft: WebhookDraft) {
  const { db, accountId, userId, now, keyring } = context
  const id = newId(webhookIds.webhook, now)
  await reserveQuota(context, webhookQuotas.webhooks, visible(context))
  const secret = newSecret()
  const sealed = sealSecret(keyring, { accountId, id }, secret)
  const made = { accountId, id, created: now, modified: now, createdBy: userId, secret: sealed }
  const row = { ...made, ...defaults, ...draft }
  const webhook = await db.insertInto('webhooks').values(row).returning(webhookColumns).executeTakeFirstOrThrow()
  return { ...webhook, secret }
}

export async function update(context: Context, { id, ...given }: WebhookChanges) {
  const { db, accountId, now } = context
  // Enabling it by hand resets its failure record.
  const cleared = given.isEnabled ? { failingSince: null, disabledReason: '' } : {}
  const webhook = await db
    .updateTable('webhooks')
    .set({ ...given, ...cleared, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .returning(webhookColumns)
    .executeTakeFirst()
  if (!webhook) throw missing('Webhook')
  if (given.isEnabled === false) await cancelPending(context, id, disabledByUser)
  return webhook
}

/** Returns the new secret; it is not shown again. The previous one stays valid for a day. */
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

const overlap = day

/** The log is deleted later by `webhooks.forget-old-events`. */
export async function remove({ db, accountId }: Context, { id }: { id: string }) {
  const { numDeletedRows } = await db
    .deleteFrom('webhooks')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw missing('Webhook')
  await db.deleteFrom('webhookDeliveries').where('accountId', '=', accountId).where('webhookId', '=', id).execute()
  await db.deleteFrom('webhookPartitions').where('account', '=', accountId).where('webhook', '=', id).execute()
}

/** Refuses URLs that must not be called. Resolves the host name, so it runs before the transaction. */
export async function checkUrl({ outbound }: ExternalIo, { url }: { url?: string | undefined }) {
  if (url === undefined) return
  try {
    await outbound.check(url)
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    // A name that does not resolve now is checked again at every call.
    if (error.kind === 'refused-address') throw invalid(`url is not accepted. ${error.message}`)
  }
}

const visible = ({ db, accountId }: Context) =>
  db.selectFrom('webhooks').select(webhookColumns).where('accountId', '=', accountId)

/** Identifies a webhook's secrets to the keyring. */
interface SecretOwner {
  accountId: string
  id: string
}

/** In the format of Standard Webhooks; receivers of the older scheme use the whole text as their key. */
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

const sealSecret = (keyring: Keyring, webhook: SecretOwner, secret: string) =>
  keyring.encrypt(secret, secretScope(webhook))

export const openSecret = (keyring: Keyring, webhook: SecretOwner, sealed: string) =>
  keyring.decrypt(sealed, secretScope(webhook))

/** Binds a secret to its row: copied to another webhook it cannot be decrypted. */
export const secretScope = ({ accountId, id }: SecretOwner) => `webhook/${accountId}/${id}`

const disableAfter = 5 * day

/** Disables a webhook whose receiver responded 410, or that has not succeeded for five days, and notifies its owner by email. */
export async function disableIfFailing(
  installation: Installation,
  { account, webhook }: Pick<WebhookClaim, 'account' | 'webhook'>,
  result: { gone: boolean; error: string },
  failingSince: Date | null,
) {
  const now = installation.clock.now()
  const isFailing = failingSince !== null && failingSince.getTime() <= now.getTime() - disableAfter
  if (!result.gone && !isFailing) return
  const reason = result.gone
    ? 'The receiver answered 410: it is gone for good.'
    : `No call has succeeded for five days. The last error: ${result.error}`
  await change(installation, systemActor(account, now), (context) => disable(context, webhook, reason))
}

async function disable(context: Context, id: string, reason: string) {
  const { db, accountId, now } = context
  const webhook = await db
    .updateTable('webhooks')
    .set({ isEnabled: false, disabledReason: reason, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('isEnabled', '=', true)
    .returning(['name', 'url', 'createdBy'])
    .executeTakeFirst()
  // Another call has disabled it already.
  if (!webhook) return
  await cancelPending(context, id, reason)
  for (const to of await findOwners(context, webhook.createdBy)) {
    await queueMail(context, {
      to,
      subject: `Webhook "${webhook.name}" was switched off`,
      text: disabledNotice(accountId, id, webhook, reason),
    })
  }
}

/** The creator if that is an active admin, otherwise all admins. */
async function findOwners({ db, accountId }: Context, createdBy: string): Promise<string[]> {
  const admins = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('accountId', '=', accountId)
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .execute()
  const creator = admins.filter(({ id }) => id === createdBy)
  return (creator.length > 0 ? creator : admins).map(({ email }) => email)
}

const disabledNotice = (accountId: string, id: string, { name, url }: { name: string; url: string }, reason: string) =>
  `The webhook "${name}" (${id}), which calls ${url}, was switched off.

${reason}

Nothing is lost: events are kept for thirty days. Once the receiver works again, switch the webhook on
(POST /v2/webhook/${id} with isEnabled=1) and send what it missed:

  npx chorus webhook resend-failed --account ${accountId} --id ${id} --since <the day it broke, e.g. 2026-01-31>
`
