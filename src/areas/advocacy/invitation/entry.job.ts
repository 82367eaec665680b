import { makeLink } from '#areas/account/session/sign-in-link.ts'
import { findByEmail } from '#areas/account/user/user-email.ts'
import type { Context } from '#kernel/context.ts'
import { newId } from '#kernel/ids.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import type { Mail, Mailer } from '#kernel/mail/mail.ts'
import { findBySlug } from '../board/board-slug.ts'
import { boardWithoutPassword } from './acceptance.ts'
import { waits } from './send-invitation.job.ts'

interface Wish {
  email: string
  slug: string
}

export const entryLink = { name: 'advocacy.send-entry-link', queue: 'mail' } as const

/** To whoever has the address and is on the board; to nobody if nobody is. */
export const entryLinkJob = (mailer: Mailer): Job<Wish> =>
  job(entryLink.name, {
    ...entryLink,
    retryDelays: waits,
    async run({ shared, transaction, now }, { email, slug }) {
      const place = await findBySlug(shared, slug)
      if (!place) return
      const [user] = await findByEmail(shared, email, place.accountId)
      const mail =
        user && (await transaction(place.accountId, (context) => entryMail(context, place.boardId, user.userId)))
      if (mail) await mailer.send({ ...mail, id: newId('job', now) })
    },
  })

async function entryMail(context: Context, boardId: string, userId: string): Promise<Mail | undefined> {
  const found = await boardWithoutPassword(context, userId, boardId)
  if (!found) return undefined
  return {
    to: found.email,
    subject: `Your way to ${found.board}`,
    text: `Hello,

here is the link to “${found.board}” that you asked for. It works once, within an hour:

${await makeLink(context, userId, 'board')}

If it was not you, there is nothing to do.`,
  }
}
