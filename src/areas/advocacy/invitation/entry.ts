import { countMailWish } from '#areas/account/session/password.ts'
import type { Visitor } from '#kernel/caller.ts'
import type { Installation } from '#kernel/installation.ts'
import { enqueue } from '#kernel/jobs/queue.ts'
import { entryLink } from './entry.job.ts'

interface Visiting {
  email: string
  slug: string
}

/** Mails a link that lets an advocate in, if the address is one's and the board does without passwords; the answer is the same, and takes as long. */
export async function requestEntry(installation: Installation, visitor: Visitor, { email, slug }: Visiting) {
  const wish = await countMailWish(installation, visitor, email)
  await enqueue(wish, entryLink, { email, slug }, { key: keyOf(email, slug) })
}

const keyOf = (email: string, slug: string) => `${slug.toLowerCase()} ${email.toLowerCase()}`
