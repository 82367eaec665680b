import { readToken } from '#areas/account/session/session.ts'
import { changeInTurn } from '#kernel/change.ts'
import { missing } from '#kernel/errors.ts'
import type { Page, Visit } from '#kernel/http/route/page.ts'
import type { Installation } from '#kernel/installation.ts'
import { feedOf, ownerOf } from './calendar-feed.ts'

/** Read by external calendar clients, which have no session: the key in the URL grants read access to everything its owner can see. */
export const calendarFeedPages = (installation: Installation): Page[] => [
  {
    method: 'GET',
    path: '/app/api/calendar.ics',
    async run(visit) {
      const key = readToken(keyOf(visit))
      const body = key && (await feedFor(installation, key))
      if (body === undefined) throw missing('Calendar')
      const headers = {
        'content-type': 'text/calendar; charset=utf-8',
        'content-disposition': 'inline; filename="chorus.ics"',
      }
      return { status: 200, headers, body }
    },
  },
]

const keyOf = ({ values }: Visit) => (typeof values.key === 'string' ? values.key : '')

interface Key {
  accountId: string
  digest: Buffer
}

function feedFor(installation: Installation, { accountId, digest }: Key): Promise<string | undefined> {
  const anonymous = {
    accountId,
    userId: '',
    role: 'read',
    now: installation.clock.now(),
    auditEntry: undefined,
  } as const
  return changeInTurn(installation, anonymous, async (context) => {
    const owner = await ownerOf(context, digest)
    if (!owner) return undefined
    const { userId, role, accountName } = owner
    return feedOf({ ...context, userId, role }, accountName)
  })
}
