import type { Context } from '#kernel/context.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
import type { ExportRow } from '../export-row.ts'
import { frequencyText } from '../frequency.ts'
import type { BegunRun } from './run-change.ts'

/** Tells whoever made an export that a run of it was given up. */
export async function mailFailure(context: Context, { run, row }: BegunRun, reason: string) {
  for (const to of await ownersOf(context, row.createdBy)) {
    await queueMail(context, {
      to,
      subject: `An export of ${row.type} failed`,
      text: `The export of ${row.type} to ${placeOf(row)} (${row.id}) was tried ${run.attempts} times and given up.

${reason}

${row.status === 'active' ? `It runs again as planned: ${frequencyText(row)}.` : 'It is switched off.'} To run it before that, once the reason is gone:

  npx chorus export run --account ${context.accountId} --id ${row.id}
`,
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

/** As people know it. */
export function placeOf({ destinationType, destination }: Pick<ExportRow, 'destinationType' | 'destination'>): string {
  const { email, host, bucketName, accountName, container } = destination
  return `${destinationType} ${email ?? host ?? bucketName ?? `${accountName}/${container}`}`
}
