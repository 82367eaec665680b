import { countMailWish } from '#areas/account/session/password.ts'
import { makeLink } from '#areas/account/session/session.ts'
import { findByEmail } from '#areas/account/user/user-email.ts'
import type { Visitor } from '#kernel/caller.ts'
import type { Context } from '#kernel/context.ts'
import { kernelIds, newId } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import type { Mail, Mailer } from '#kernel/mail/mail.ts'
import { findBySlug } from '../board/board-row.ts'
import { boardWithoutPassword } from './acceptance.ts'
import { waits } from './send-invitation.job.ts'

interface Wish {
  email: string
  slug: string
}

const entryLink = { name: 'advocacy.send-entry-link', queue: 'mail' } as const

/** Sent only if the address belongs to a member of the board. */
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
      if (mail) await mailer.send({ ...mail, id: newId(kernelIds.job, now) })
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

interface Visiting {
  email: string
  slug: string
}

/** Emails a sign-in link if the address belongs to a member and the board works without passwords; response and timing are always the same. */
export async function requestEntry(installation: Installation, visitor: Visitor, { email, slug }: Visiting) {
  const wish = await countMailWish(installation, visitor, email)
  await enqueue(wish, entryLink, { email, slug }, { key: keyOf(email, slug) })
}

const keyOf = (email: string, slug: string) => `${slug.toLowerCase()} ${email.toLowerCase()}`
