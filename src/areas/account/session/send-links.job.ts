import type { Context } from '#kernel/context.ts'
import { kernelIds, newId } from '#kernel/ids.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import type { Mail, Mailer } from '#kernel/mail/mail.ts'
import { findByEmail, notifyUsersChanged } from '../user/user-email.ts'
import { makeLink } from './session.ts'

/**
 * Links are created when they are emailed: until then they do not exist, and queued jobs grant no access. The emails have no name in the
 * greeting: the email address is not verified yet, and someone else may have set the name.
 */

const second = 1000
const minute = 60 * second
const waits = [10 * second, minute, 10 * minute, 60 * minute]

export const resetLinks = { name: 'account.send-reset-links', queue: 'mail' } as const
export const invitationLink = { name: 'account.send-invitation', queue: 'mail' } as const

/** Sends a link for each account of the email address; none if there is no user. */
export const resetLinksJob = (mailer: Mailer): Job<{ email: string }> =>
  job(resetLinks.name, {
    ...resetLinks,
    retryDelays: waits,
    async run(context, { email }) {
      for (const { account, userId } of await findByEmail(context.shared, email)) {
        const mail = await context.transaction(account, (inside) => resetMail(inside, userId))
        if (mail) await send(mailer, context, mail)
      }
    },
  })

export const invitationJob = (mailer: Mailer): Job<{ accountId: string; userId: string; by: string }> =>
  job(invitationLink.name, {
    ...invitationLink,
    retryDelays: waits,
    async run(context, { accountId, userId, by }) {
      const mail = await context.transaction(accountId, (inside) => invitationMail(inside, userId, by))
      if (mail) await send(mailer, context, mail)
    },
  })

const send = (mailer: Mailer, { now }: JobContext, mail: Mail) =>
  mailer.send({ ...mail, id: newId(kernelIds.job, now) })

async function resetMail(context: Context, userId: string): Promise<Mail | undefined> {
  const user = await personOf(context, userId)
  if (!user) return undefined
  return {
    to: user.email,
    subject: `A new password for ${user.accountName}`,
    text: `Hello,

somebody, hopefully you, asked for a new password for ${user.accountName}. Choose one here, within an hour:

${await makeLink(context, userId, 'reset')}

The link works once. If it was not you, there is nothing to do: your password stays as it is.`,
  }
}

/** Not needed if the user has set a password already. */
async function invitationMail(context: Context, userId: string, by: string): Promise<Mail | undefined> {
  const user = await personOf(context, userId)
  if (!user?.role || user.passwordHash) return undefined
  const who = by ? `${by} invites you` : 'You are invited'
  notifyUsersChanged(context)
  return {
    to: user.email,
    subject: `${who} to ${user.accountName}`,
    text: `Hello,

${who.replace(/^You/, 'you')} to work with ${user.accountName} on Chorus. Choose a password here, within 14 days:

${await makeLink(context, userId, 'invitation')}

The link works once. If you do not know what this is about, there is nothing to do.`,
  }
}

const personOf = ({ db, accountId }: Context, userId: string) =>
  db
    .selectFrom('users as u')
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['u.email', 'u.role', 'u.passwordHash', 'a.name as accountName'])
    .where('u.accountId', '=', accountId)
    .where('u.id', '=', userId)
    .where('u.status', '=', 'active')
    .executeTakeFirst()
