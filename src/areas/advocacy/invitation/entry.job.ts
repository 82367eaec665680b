import { makeLink } from '#areas/account/session/sign-in-link.ts'
import { findByEmail } from '#areas/account/user/user-email.ts'
import type { Context } from '#kernel/context.ts'
import { Refusal } from '#kernel/errors.ts'
import { newId } from '#kernel/ids.ts'
import { type Job, job } from '#kernel/jobs/job.ts'
import type { Mail, Mailer } from '#kernel/mail/mail.ts'
import { findBySlug } from '../board/board-slug.ts'
import { boardWithoutPassword } from './acceptance.ts'
import { candidateOf } from './guest.ts'
import { joinBoard } from './joining.ts'
import { waits } from './send-invitation.job.ts'

interface Wish {
  email: string
  slug: string
}

export const entryLink = { name: 'advocacy.send-entry-link', queue: 'mail' } as const
export const signUp = { name: 'advocacy.sign-up', queue: 'mail' } as const

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
    text: `Hello ${found.firstName || found.email},

here is the link to “${found.board}” that you asked for. It works once, within an hour:

${await makeLink(context, userId, 'board')}

If it was not you, there is nothing to do.`,
  }
}

/** As if somebody had invited them; where the board is full, or does not take them, nothing happens. */
export const signUpJob: Job<Wish & { firstName: string; lastName: string }> = job(signUp.name, {
  ...signUp,
  retryDelays: waits,
  async run({ shared, transaction, log }, { slug, ...guest }) {
    const place = await findBySlug(shared, slug)
    if (!place) return
    try {
      await transaction(place.accountId, async (context) => {
        if (!(await takesVisitors(context, place.boardId, guest.email))) return
        await joinBoard(context, place.boardId, [candidateOf(guest)], { by: '', message: '', mailsAgain: () => true })
      })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      log.info({ board: place.boardId, reason: error.message }, 'sign-up refused')
    }
  },
})

async function takesVisitors({ db, accountId }: Context, boardId: string, email: string): Promise<boolean> {
  const board = await db
    .selectFrom('boards')
    .select('signUpDomains')
    .where('accountId', '=', accountId)
    .where('id', '=', boardId)
    .where('status', '=', 'active')
    .where('signUpEnabled', '=', true)
    .executeTakeFirst()
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return board !== undefined && (board.signUpDomains.length === 0 || board.signUpDomains.includes(domain))
}
