import { z } from 'zod'
import { change } from '#kernel/change.ts'
import { forbidden, invalid, Refusal } from '#kernel/errors.ts'
import { sessionCookie } from '#kernel/http/auth/authentication.ts'
import type { Page, Visit } from '#kernel/http/route/page.ts'
import { begun, orAgain, read, seeOther, shown, textOf } from '#kernel/http/route/page.ts'
import type { Installation } from '#kernel/installation.ts'
import * as params from '#kernel/wire/params.ts'
import { signInOperations } from '../audit/audit.ts'
import { previewReset, requestReset } from './password.ts'
import * as sessions from './session.ts'
import * as views from './session-views.ts'
import { choosePassword, enter, signIn } from './sign-in.ts'

/** Pages the console needs too: signing out by a form, and the link that the demo prints. */
export const sessionPages = (installation: Installation): Page[] => [
  {
    method: 'POST',
    path: '/app/sign-out',
    needs: 'enter',
    signIn: true,
    async run({ identity, secure, visitor }) {
      const deed = { operation: signInOperations.signOut, fields: [] }
      if (identity)
        await change(
          installation,
          { ...identity, visitor, now: installation.clock.now(), auditEntry: deed },
          sessions.endCurrent,
        )
      return seeOther('/app/sign-in', sessionCookie('none', secure))
    },
  },
  {
    method: 'GET',
    path: '/app/enter',
    async run(visit) {
      if (!visit.isFromHere) throw forbidden('This link works on the machine of the service only.')
      return begun(visit, await enter(installation, visit.visitor, textOf(visit, 'token')))
    },
  },
]

/** Without the console: signing in, setting a password by a link, and the list of sessions. */
export const plainPages = (installation: Installation): Page[] => [
  { method: 'GET', path: '/app/sign-in', run: async () => shown(views.signInPage({})) },
  {
    method: 'POST',
    path: '/app/sign-in',
    ownForms: true,
    run: (visit) =>
      orAgain(
        async () => {
          const credentials = read(credentialParams, visit.values)
          const result = await signIn(installation, visit.visitor, credentials)
          if (result.begun) return begun(visit, result.begun)
          return shown(views.signInPage({ email: credentials.email, accounts: result.accounts }))
        },
        (problem) => views.signInPage({ email: textOf(visit, 'email'), problem }),
      ),
  },
  {
    method: 'GET',
    path: '/app',
    needs: 'enter',
    signIn: true,
    async run({ identity, visitor }) {
      if (!identity) throw invalid('Nobody asks.')
      // Read only.
      const actor = { ...identity, visitor, now: installation.clock.now(), auditEntry: undefined }
      const page = await change(installation, actor, async (context) =>
        views.homePage(await sessions.whoIsIn(context), (await sessions.list(context)).items),
      )
      return shown(page)
    },
  },
  {
    method: 'GET',
    path: '/app/reset',
    run: async (visit) => {
      const token = textOf(visit, 'token')
      return shown(token ? await resetPage(installation, visit) : views.forgottenPage({}))
    },
  },
  {
    method: 'POST',
    path: '/app/reset',
    ownForms: true,
    run: (visit) =>
      textOf(visit, 'token')
        ? chosen(installation, visit, 'reset')
        : orAgain(
            async () => {
              await requestReset(installation, visit.visitor, read(forgottenParams, visit.values))
              return shown(views.mailedPage())
            },
            (problem) => views.forgottenPage({ email: textOf(visit, 'email'), problem }),
          ),
  },
  {
    method: 'GET',
    path: '/app/invitation',
    run: async (visit) => shown(views.choicePage('invitation', { token: textOf(visit, 'token') })),
  },
  {
    method: 'POST',
    path: '/app/invitation',
    ownForms: true,
    run: (visit) => chosen(installation, visit, 'invitation'),
  },
]

const chosen = (installation: Installation, visit: Visit, purpose: 'reset' | 'invitation') =>
  orAgain(
    async () => {
      // An unchecked checkbox is not submitted.
      const values = { ...visit.values, revokeKeys: visit.values.revokeKeys ?? '0' }
      return begun(visit, await choosePassword(installation, visit.visitor, purpose, read(choiceParams, values)))
    },
    (problem) => views.choicePage(purpose, { token: textOf(visit, 'token'), problem }),
  )

/** Lists the API keys it would revoke; if the link has expired, the form reports that after submission. */
async function resetPage(installation: Installation, visit: Visit): Promise<string> {
  const token = textOf(visit, 'token')
  const ends = await previewReset(installation, visit.visitor, { token }).catch((error) => {
    if (!(error instanceof Refusal)) throw error
  })
  return views.choicePage('reset', { token, keys: ends?.apiKeys.map(({ name }) => name) })
}

const password = params.secret()
const name = params.line({ min: 0, max: 64 }).optional()
const credentialParams = z.object({
  email: params.line({ max: 254 }),
  password: params.secret({ min: 1 }),
  account: params.line({ max: 15 }).optional(),
  stays: params.flag.optional(),
})
const forgottenParams = z.object({ email: params.email })
const choiceParams = z.object({
  token: params.line({ max: 100 }),
  password,
  revokeKeys: params.flag,
  firstName: name,
  lastName: name,
})
