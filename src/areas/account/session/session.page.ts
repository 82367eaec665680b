import { z } from 'zod'
import { change } from '#kernel/change.ts'
import { forbidden, invalid, Refusal } from '#kernel/errors.ts'
import { sessionCookie } from '#kernel/http/auth/authentication.ts'
import {
  begun,
  escaped,
  htmlPage,
  orAgain,
  type Page,
  read,
  seeOther,
  shown,
  textOf,
  type Visit,
} from '#kernel/http/route/page.ts'

import type { Installation } from '#kernel/installation.ts'
import * as params from '#kernel/wire/params.ts'
import { signInOperations } from '../audit.ts'
import { previewReset, requestReset } from './password.ts'
import * as sessions from './session.ts'
import { choosePassword, enter, signIn } from './sign-in.ts'

/** Pages the console needs too: signing out by a form, and the link that the demo prints. */
export const sessionPages = (installation: Installation): Page[] => [
  {
    method: 'POST',
    path: '/app/sign-out',
    needs: 'enter',
    signIn: true,
    async run({ identity, secure, visitor }) {
      const auditEntry = { operation: signInOperations.signOut, fields: [] }
      if (identity)
        await change(
          installation,
          { ...identity, visitor, now: installation.clock.now(), auditEntry },
          sessions.endCurrent,
        )
      return seeOther('/app/sign-in', sessionCookie('none', secure))
    },
  },
  {
    method: 'GET',
    path: '/app/enter',
    async run(visit) {
      if (!visit.isLocal) throw forbidden('This link works on the machine of the service only.')
      return begun(visit, await enter(installation, visit.visitor, textOf(visit, 'token')))
    },
  },
]

/** Without the console: signing in, setting a password by a link, and the list of sessions. */
export const plainPages = (installation: Installation): Page[] => [
  { method: 'GET', path: '/app/sign-in', run: async () => shown(signInPage({})) },
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
          return shown(signInPage({ email: credentials.email, accounts: result.accounts }))
        },
        (problem) => signInPage({ email: textOf(visit, 'email'), problem }),
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
        homePage(await sessions.currentSession(context), (await sessions.list(context)).items),
      )
      return shown(page)
    },
  },
  {
    method: 'GET',
    path: '/app/reset',
    run: async (visit) => {
      const token = textOf(visit, 'token')
      return shown(token ? await resetPage(installation, visit) : forgottenPage({}))
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
              return shown(mailedPage())
            },
            (problem) => forgottenPage({ email: textOf(visit, 'email'), problem }),
          ),
  },
  {
    method: 'GET',
    path: '/app/invitation',
    run: async (visit) => shown(choicePage('invitation', { token: textOf(visit, 'token') })),
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
    (problem) => choicePage(purpose, { token: textOf(visit, 'token'), problem }),
  )

/** Lists the API keys it would revoke; if the link has expired, the form reports that after submission. */
async function resetPage(installation: Installation, visit: Visit): Promise<string> {
  const token = textOf(visit, 'token')
  const ends = await previewReset(installation, visit.visitor, { token }).catch((error) => {
    if (!(error instanceof Refusal)) throw error
  })
  return choicePage('reset', { token, keys: ends?.apiKeys.map(({ name }) => name) })
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

interface Form {
  /** The validation error of the last submission. */
  problem?: string | undefined
}

function signInPage(form: Form & { email?: string; accounts?: readonly { id: string; name: string }[] }): string {
  const { email = '', accounts = [], problem } = form
  const choice = accounts.map(({ id, name }) => `<option value="${escaped(id)}">${escaped(name)}</option>`).join('')
  const question =
    accounts.length > 0 ? 'You belong to several accounts. Choose one, and enter your password again.' : ''
  return htmlPage(
    'Sign in',
    `${alert(problem ?? question)}
<form method="post" action="/app/sign-in">
${inputField('Email address', 'email', `type="email" autocomplete="username" required value="${escaped(email)}"`)}
${choice && `<p><label for="account">Account</label><select id="account" name="account">${choice}</select></p>`}
${inputField('Password', 'password', 'type="password" autocomplete="current-password" required')}
<p class="check"><input id="stays" name="stays" type="checkbox" value="1"><label for="stays">Stay signed in on this device</label></p>
<button>Sign in</button>
</form>
<p><a href="/app/reset">Forgot your password?</a></p>`,
  )
}

const forgottenPage = ({ email = '', problem }: Form & { email?: string }) =>
  htmlPage(
    'Choose a new password',
    `${alert(problem)}
<p>We send a link to your address that lets you choose a new password within an hour.</p>
<form method="post" action="/app/reset">
${inputField('Email address', 'email', `type="email" autocomplete="username" required value="${escaped(email)}"`)}
<button>Send the link</button>
</form>
${backToSignIn}`,
  )

const mailedPage = () =>
  htmlPage(
    'Look into your mail',
    `<p>If somebody here has that address, a link is on its way to it. It works once, within an hour.</p>
${backToSignIn}`,
  )

interface ChoiceForm extends Form {
  token: string
  /** The names of the API keys that a reset revokes, if known. */
  keys?: readonly string[] | undefined
}

const choicePage = (purpose: 'reset' | 'invitation', { token, keys, problem }: ChoiceForm) =>
  htmlPage(
    purpose === 'reset' ? 'Choose a new password' : 'Welcome to Chorus',
    `${alert(problem)}
<form method="post" action="/app/${purpose}">
<input type="hidden" name="token" value="${escaped(token)}">
${purpose === 'invitation' ? nameFields : ''}
${inputField('New password, at least 8 characters', 'password', 'type="password" autocomplete="new-password" minlength="8" maxlength="256" required')}
${purpose === 'reset' ? revokingKeys(keys) : ''}
<button>${purpose === 'reset' ? 'Save and sign in' : 'Begin'}</button>
</form>
${backToSignIn}`,
  )

const revokingKeys = (
  keys: readonly string[] = [],
) => `<p class="check"><input id="revokeKeys" name="revokeKeys" type="checkbox" value="1" checked>
<label for="revokeKeys">Also revoke my API keys${keys.length > 0 ? `: ${escaped(keys.join(', '))}` : ''}</label></p>
<p><small>You are signed out everywhere else, and your calendar link is revoked.</small></p>`

interface Person {
  user: { name: string; email: string; role: string }
  account: { name: string }
}

interface Row {
  created: Date
  lastUsed: Date
  address: string
  agent: string
  current: boolean
}

const homePage = ({ user, account }: Person, rows: readonly Row[]) =>
  htmlPage(
    account.name,
    `<p>You are signed in as ${escaped(user.name)} (${escaped(user.email)}), ${user.role === 'advocate' ? 'as an advocate' : `with the role ${user.role}`}.</p>
<form method="post" action="/app/sign-out"><button>Sign out</button></form>
<h2>Where you are signed in</h2>
<ul>${rows.map((row) => `<li>${rowOf(row)}</li>`).join('\n')}</ul>
<p><a href="/docs">The interface</a> · <a href="/docs/app">The console’s interface</a></p>`,
  )

const rowOf = ({ created, lastUsed, address, agent, current }: Row) =>
  `${escaped(agent || 'An unknown program')} <small>${escaped(address)}, since ${dayOf(created)}, last used ${dayOf(lastUsed)}${
    current ? ', this one' : ''
  }</small>`

const dayOf = (moment: Date) => `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`

const inputField = (label: string, name: string, attributes: string) =>
  `<p><label for="${name}">${label}</label><input id="${name}" name="${name}" ${attributes}></p>`

const nameFields =
  inputField('First name', 'firstName', 'autocomplete="given-name" maxlength="64"') +
  inputField('Last name', 'lastName', 'autocomplete="family-name" maxlength="64"')

const alert = (sentence: string | undefined) => (sentence ? `<p role="alert">${escaped(sentence)}</p>` : '')

const backToSignIn = '<p><a href="/app/sign-in">Back to signing in</a></p>'
