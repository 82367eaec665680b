import { escaped, htmlPage, type Page, type Visit } from '#kernel/http/route/page.ts'
import type { Installation } from '#kernel/installation.ts'
import { readToken, unsubscribe } from './digest.ts'

const path = '/app/unsubscribe'

/** Unsubscribes without signing in: by a button, or one-click by the mail client. GET changes nothing. */
export const unsubscribePages = (installation: Installation): Page[] => [
  {
    method: 'GET',
    path,
    async run(visit) {
      const token = tokenOf(visit)
      readToken(installation, token)
      const form = `<form method="post" action="${path}"><input type="hidden" name="token" value="${escaped(token)}"><button>No more letters</button></form>`
      return { status: 200, body: htmlPage('Get no more letters of this board?', form) }
    },
  },
  {
    method: 'POST',
    path,
    async run(visit) {
      const board = await unsubscribe(installation, tokenOf(visit))
      const of = board === undefined ? '' : ` of ${escaped(board)}`
      return { status: 200, body: htmlPage('Done', `<p>You get no more letters${of}. You can close this window.</p>`) }
    },
  },
]

const tokenOf = ({ values }: Visit) => (typeof values.token === 'string' ? values.token : '')
