import { z } from 'zod'
import { begun, orAgain, read, shown, textOf } from '#kernel/http/route/form-page.ts'
import { escaped, htmlPage } from '#kernel/http/route/html.ts'
import type { Page } from '#kernel/http/route/page.ts'
import type { Installation } from '#kernel/installation.ts'
import * as params from '#kernel/wire/params.ts'
import { acceptInvitation, enterBoard } from './acceptance.ts'

/** Where links without a password lead. Opening one changes nothing: programs that look into mails open them too. */
export const invitationPages = (installation: Installation): Page[] => [
  {
    method: 'GET',
    path: '/app/board-invitation',
    run: async (visit) => shown(form('board-invitation', textOf(visit, 'token'), names)),
  },
  {
    method: 'POST',
    path: '/app/board-invitation',
    ownForms: true,
    run: (visit) =>
      orAgain(
        async () =>
          begun(visit, await acceptInvitation(installation, visit.visitor, read(invitationParams, visit.values))),
        (problem) => form('board-invitation', textOf(visit, 'token'), names, problem),
      ),
  },
  {
    method: 'GET',
    path: '/app/board-entry',
    run: async (visit) => shown(form('board-entry', textOf(visit, 'token'))),
  },
  {
    method: 'POST',
    path: '/app/board-entry',
    ownForms: true,
    run: (visit) =>
      orAgain(
        async () => begun(visit, await enterBoard(installation, visit.visitor, read(entryParams, visit.values))),
        (problem) => form('board-entry', textOf(visit, 'token'), '', problem),
      ),
  },
]

const token = params.line({ max: 100 })
const name = params.line({ min: 0, max: 32 }).optional()
const entryParams = z.object({ token })
const invitationParams = z.object({ token, firstName: name, lastName: name })

const form = (action: string, token: string, fields = '', problem = '') =>
  htmlPage(
    'Welcome to Chorus',
    `${problem && `<p role="alert">${escaped(problem)}</p>`}
<form method="post" action="/app/${action}">
<input type="hidden" name="token" value="${escaped(token)}">
${fields}
<button>Begin</button>
</form>`,
  )

const field = (label: string, name: string, autocomplete: string) =>
  `<p><label for="${name}">${label}</label><input id="${name}" name="${name}" autocomplete="${autocomplete}" maxlength="32"></p>`

const names = field('First name', 'firstName', 'given-name') + field('Last name', 'lastName', 'family-name')
