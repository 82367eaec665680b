import type { Context } from '#kernel/context.ts'
import { tellAdmins } from './invalid-profile.ts'

const day = 24 * 60 * 60 * 1000

/** Tells the admins, once, of each profile that somebody must connect again within a week. */
export async function warnOfEnds(context: Context) {
  const { db, accountId, now } = context
  const ending = await db
    .updateTable('credentials')
    .set(({ ref }) => ({ warnedOf: ref('expiresOn') }))
    .where('accountId', '=', accountId)
    .where('expiresOn', '>', now)
    .where('expiresOn', '<', new Date(now.getTime() + 7 * day))
    .where((row) => row('warnedOf', 'is distinct from', row.ref('expiresOn')))
    .where('status', '=', 'valid')
    .where('deleted', 'is', null)
    .returning(['id', 'network', 'displayName', 'expiresOn'])
    .execute()
  for (const { id, network, displayName, expiresOn } of ending) {
    const end = expiresOn?.toISOString().slice(0, 10)
    await tellAdmins(
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
