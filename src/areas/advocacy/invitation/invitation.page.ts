import { z } from 'zod'
import type { Page, PageAnswer, Visit } from '#kernel/http/route/page.ts'
import { begun, escaped, htmlPage, orAgain, read, shown, textOf } from '#kernel/http/route/page.ts'
import type { Installation } from '#kernel/installation.ts'
import * as params from '#kernel/wire/params.ts'
import { acceptInvitation, enterBoard } from './board-entry.ts'
import { findSignUp } from './sign-up-row.ts'

/** Target of links without a password. Opening one changes nothing: mail scanners open them too. */
export const invitationPages = (installation: Installation): Page[] => [
  {
    method: 'GET',
    path: '/app/board-invitation',
    run: async (visit) => shown(await invitationForm(installation, visit)),
  },
  {
    method: 'POST',
    path: '/app/board-invitation',
    ownForms: true,
    run: (visit) =>
      orAgain(
        async () => {
          const accepted = await acceptInvitation(installation, visit.visitor, readInvitation(visit))
          const { token, seconds } = accepted
          return token === undefined ? signInElsewhere : begun(visit, { token, seconds })
        },
        async (problem) => invitationForm(installation, visit, problem),
      ),
  },
  {
    method: 'GET',
    path: '/app/board-entry',
    run: async (visit) => shown(form({ action: 'board-entry', token: textOf(visit, 'token') })),
  },
  {
    method: 'POST',
    path: '/app/board-entry',
    ownForms: true,
    run: (visit) =>
      orAgain(
        async () => begun(visit, await enterBoard(installation, visit.visitor, read(entryParams, visit.values))),
        async (problem) => form({ action: 'board-entry', token: textOf(visit, 'token'), problem }),
      ),
  },
]

const token = params.line({ max: 100 })
const name = params.line({ min: 0, max: 32 }).optional()
const entryParams = z.object({ token })
const invitationParams = z.object({ token, password: params.secret().optional(), firstName: name, lastName: name })

/** Empty fields count as missing. */
function readInvitation({ values }: Visit) {
  const { password, ...rest } = values
  return read(invitationParams, password === '' ? rest : values)
}

/** Users with a password or a role sign in with it. */
const signInElsewhere: PageAnswer = { status: 303, headers: { location: '/app/sign-in' }, body: '' }

/** Shows the board and the names given at sign-up, so that the owner of the address can correct them. */
async function invitationForm({ database, clock }: Installation, visit: Visit, problem = ''): Promise<string> {
  const given = textOf(visit, 'token')
  const pending = await findSignUp(database, given, clock.now())
  if (!pending) return form({ action: 'board-invitation', token: given, fields: names(), problem })
  const { board, needsPassword, firstName, lastName } = pending
  const fields = names(textOf(visit, 'firstName') || firstName, textOf(visit, 'lastName') || lastName)
  return form({
    action: 'board-invitation',
    token: given,
    title: `Join ${board}`,
    fields: needsPassword ? fields + password : fields,
    button: 'Join board',
    problem,
  })
}

interface Form {
  action: string
  token: string
  title?: string
  fields?: string
  button?: string
  problem?: string
}

const form = ({ action, token, title = 'Welcome to Chorus', fields = '', button = 'Begin', problem = '' }: Form) =>
  htmlPage(
    title,
    `${problem && `<p role="alert">${escaped(problem)}</p>`}
<form method="post" action="/app/${action}">
<input type="hidden" name="token" value="${escaped(token)}">
${fields}
<button>${button}</button>
</form>`,
  )

const field = (label: string, name: string, autocomplete: string, value: string) =>
  `<p><label for="${name}">${label}</label><input id="${name}" name="${name}" autocomplete="${autocomplete}" maxlength="32" value="${escaped(value)}"></p>`

const names = (first = '', last = '') =>
  field('First name', 'firstName', 'given-name', first) + field('Last name', 'lastName', 'family-name', last)

const password =
  '<p><label for="password">Password, 8 characters or more</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256"></p>'
