import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
import { type AccessInstallation, notifyProfileChanged, type ProfileRef } from './profile-row.ts'

/** Called when the network no longer accepts this secret: marks the profile invalid and notifies the admins once. */
export const markInvalid = (
  installation: AccessInstallation,
  { accountId, id }: ProfileRef,
  secretVersion: number,
  why: string,
) =>
  change(installation, systemActor(accountId, installation.clock.now()), async (context) => {
    const { db, now } = context
    const profile = await db
      .updateTable('credentials')
      .set({ status: 'invalid', statusReason: why, invalidSince: now, renewOn: null, modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      // It may have been reconnected in the meantime.
      .where('secretVersion', '=', secretVersion)
      .where('status', '=', 'valid')
      .returning(['displayName', 'network'])
      .executeTakeFirst()
    if (!profile) return
    notifyProfileChanged(context, id)
    const subject = `${profile.network} no longer lets Chorus use "${profile.displayName}"`
    await emailAdmins(context, subject, invalidNotice(context.publicUrl, id, profile, why))
  })

export async function emailAdmins(context: Context, subject: string, text: string) {
  const admins = await context.db
    .selectFrom('users')
    .select('email')
    .where('accountId', '=', context.accountId)
    .where('role', '=', 'admin')
    .where('status', '=', 'active')
    .execute()
  for (const { email } of admins) await queueMail(context, { to: email, subject, text })
}

const invalidNotice = (
  publicUrl: string,
  id: string,
  { displayName, network }: { displayName: string; network: string },
  why: string,
) =>
  `The ${network} profile "${displayName}" (${id}) can no longer be used.

${why}

Posts that are scheduled for it wait. To let them go out, any admin can connect the profile again: open
${publicUrl}/app/connect/${network}
and log in as somebody who manages the profile.
`

const day = 24 * 60 * 60 * 1000

/** Notifies the admins, once per profile, of profiles that have to be reconnected within a week. */
export async function warnOfExpiry(context: Context) {
  const { db, accountId, now } = context
  const expiring = await db
    .updateTable('credentials')
    .set(({ ref }) => ({ notifiedExpiry: ref('expiresOn') }))
    .where('accountId', '=', accountId)
    .where('expiresOn', '>', now)
    .where('expiresOn', '<', new Date(now.getTime() + 7 * day))
    .where((row) => row('notifiedExpiry', 'is distinct from', row.ref('expiresOn')))
    .where('status', '=', 'valid')
    .where('deleted', 'is', null)
    .returning(['id', 'network', 'displayName', 'expiresOn'])
    .execute()
  for (const { id, network, displayName, expiresOn } of expiring) {
    const end = expiresOn?.toISOString().slice(0, 10)
    await emailAdmins(
      context,
      `"${displayName}" on ${network} must be connected again before ${end}`,
      `${network} lets Chorus use the profile "${displayName}" (${id}) until ${end} and no longer.

Posts that are scheduled for it after that will wait. Any admin can connect it again before: open
${context.publicUrl}/app/connect/${network}
and log in as somebody who manages the profile.
`,
    )
  }
}
