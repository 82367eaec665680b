import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
import { hintProfile } from '../profile-hints.ts'
import type { AccessInstallation, ProfilePlace } from './profile-row.ts'

/** The network no longer accepts this secret: the profile turns invalid and the admins are told, once. */
export const markInvalid = (
  installation: AccessInstallation,
  { accountId, id }: ProfilePlace,
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
      // Somebody may have connected it again meanwhile.
      .where('secretVersion', '=', secretVersion)
      .where('status', '=', 'valid')
      .returning(['displayName', 'network'])
      .executeTakeFirst()
    if (!profile) return
    hintProfile(context, id)
    const subject = `${profile.network} no longer lets Chorus use "${profile.displayName}"`
    await tellAdmins(context, subject, invalidNotice(context.publicUrl, id, profile, why))
  })

export async function tellAdmins(context: Context, subject: string, text: string) {
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
