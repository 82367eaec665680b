import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import type { Installation } from '#kernel/installation.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
import type { Answer } from './attempt.ts'
import { giveUpWaiting } from './give-up.ts'
import type { LaneClaim } from './lane-claim.ts'

const day = 24 * 60 * 60 * 1000
const patience = 5 * day

/** Switches a webhook off that says it is gone, or that has not once succeeded for five days, and tells its owner. */
export async function disableIfHopeless(
  installation: Installation,
  { account, webhook }: LaneClaim,
  answer: Answer,
  failingSince: Date | null,
) {
  const now = installation.clock.now()
  const hopeless = failingSince !== null && failingSince.getTime() <= now.getTime() - patience
  if (!answer.gone && !hopeless) return
  const reason = answer.gone
    ? 'The receiver answered 410: it is gone for good.'
    : `No call has succeeded for five days. The last error: ${answer.error}`
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
  // Another call of the same webhook has seen to it.
  if (!webhook) return
  await giveUpWaiting(context, id, reason)
  for (const to of await ownersOf(context, webhook.createdBy)) {
    await queueMail(context, {
      to,
      subject: `Webhook "${webhook.name}" was switched off`,
      text: notice(accountId, id, webhook, reason),
    })
  }
}

/** Whoever made it, as long as that is an active admin; else every admin. */
async function ownersOf({ db, accountId }: Context, createdBy: string): Promise<string[]> {
  const admins = await db
    .selectFrom('users')
    .select(['id', 'email'])
    .where('accountId', '=', accountId)
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .execute()
  const maker = admins.filter(({ id }) => id === createdBy)
  return (maker.length > 0 ? maker : admins).map(({ email }) => email)
}

const notice = (accountId: string, id: string, { name, url }: { name: string; url: string }, reason: string) =>
  `The webhook "${name}" (${id}), which calls ${url}, was switched off.

${reason}

Nothing is lost: events are kept for thirty days. Once the receiver works again, switch the webhook on
(POST /v2/webhook/${id} with isEnabled=1) and send what it missed:

  npx chorus webhook resend-failed --account ${accountId} --id ${id} --since <the day it broke, e.g. 2026-01-31>
`
