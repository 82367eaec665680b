import type { Context } from '#kernel/context.ts'
import { kernelIds, newId } from '#kernel/ids.ts'
import { type Job, type JobContext, job } from '#kernel/jobs/job.ts'
import { type Mail, type Mailer, onOneLine } from '#kernel/mail/mail.ts'
import { queueMail } from '#kernel/mail/send-mail.job.ts'
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
  const user = await userOf(context, userId)
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
  const user = await userOf(context, userId)
  if (!user?.role || user.passwordHash) return undefined
  const greeting = by ? `${by} invites you` : 'You are invited'
  notifyUsersChanged(context)
  return {
    to: user.email,
    subject: `${greeting} to ${user.accountName}`,
    text: `Hello,

${greeting.replace(/^You/, 'you')} to work with ${user.accountName} on Chorus. Choose a password here, within 14 days:

${await makeLink(context, userId, 'invitation')}

The link works once. If you do not know what this is about, there is nothing to do.`,
  }
}

const userOf = ({ db, accountId }: Context, userId: string) =>
  db
    .selectFrom('users as u')
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['u.email', 'u.role', 'u.passwordHash', 'a.name as accountName'])
    .where('u.accountId', '=', accountId)
    .where('u.id', '=', userId)
    .where('u.status', '=', 'active')
    .executeTakeFirst()

/** Security emails, which reveal actions by someone else in the user's name. They cannot be disabled. */

interface Notice {
  subject: (account: string) => string
  happened: (account: string) => string
  /** What to do if it was not the user. */
  remedy: (publicUrl: string) => string
}

const resetRemedy = (publicUrl: string) => `choose a new password right away:

${publicUrl}/app/reset

This signs you out everywhere and revokes your calendar link, and you can revoke your API keys in the same step.`

/** The user through an emailed link or while signed in, or an admin of the account. */
type PasswordSetBy = 'link' | 'owner' | 'admin'

const setBy = {
  link: 'was reset with a password reset link',
  owner: 'was changed',
  admin: 'was set by an admin of the account',
} as const satisfies Record<PasswordSetBy, string>

/** `email` is the email address before the change: an attacker may have replaced it. */
export const mailNewPassword = (context: Context, userId: string, by: PasswordSetBy, email?: string) =>
  notify(context, userId, email, {
    subject: (account) => `Your password for ${account} was changed`,
    happened: (account) => `Your password for ${account} on Chorus ${setBy[by]}.`,
    remedy: resetRemedy,
  })

export const mailNewKey = (context: Context, userId: string, name: string) =>
  notify(context, userId, undefined, {
    subject: (account) => `New API key for ${account}`,
    happened: (account) =>
      `An API key named “${onOneLine(name)}” was created for you at ${account} on Chorus. Programs that have it can act in your name.`,
    remedy: (publicUrl) => `revoke the key in your settings, under API keys:

${publicUrl}/app

Then ${resetRemedy(publicUrl)}`,
  })

export const mailNewNetwork = (context: Context, userId: string) =>
  notify(context, userId, undefined, {
    subject: (account) => `New sign-in to ${account}`,
    happened: (account) =>
      `Somebody signed in to ${account} on Chorus with your password, from a network you haven't signed in from lately.`,
    remedy: resetRemedy,
  })

/** Enqueued in the transaction it reports on: it is sent if and only if that commits, and adds no delay. */
async function notify(context: Context, userId: string, email: string | undefined, notice: Notice) {
  const { db, accountId, visitor, now, publicUrl } = context
  const user = await db
    .selectFrom('users as u')
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', accountId))
    .select(['u.email', 'u.firstName', 'u.timezone', 'a.name as account'])
    .where('u.accountId', '=', accountId)
    .where('u.id', '=', userId)
    .executeTakeFirst()
  if (!user) return
  const { firstName, timezone } = user
  // Names set by other users must not be able to imitate text of the email.
  const account = onOneLine(user.account)
  await queueMail(context, {
    to: email ?? user.email,
    subject: notice.subject(account),
    text: `Hello ${onOneLine(firstName) || user.email},

${notice.happened(account)}

When: ${momentIn(now, timezone)}
From: ${visitor?.address ? `IP address ${visitor.address}` : 'the command line of the operator'}

If this was you, there is nothing to do. If it wasn't, ${notice.remedy(publicUrl)}`,
  })
}

/** 12 May 2026 at 14:03 (Europe/Madrid) */
const momentIn = (moment: Date, timeZone: string) =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(moment)} (${timeZone})`
