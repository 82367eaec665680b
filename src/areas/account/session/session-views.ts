import { escaped, htmlPage } from '#kernel/http/route/page.ts'

interface Form {
  /** The validation error of the last submission. */
  problem?: string | undefined
}

export function signInPage(
  form: Form & { email?: string; accounts?: readonly { id: string; name: string }[] },
): string {
  const { email = '', accounts = [], problem } = form
  const choice = accounts.map(({ id, name }) => `<option value="${escaped(id)}">${escaped(name)}</option>`).join('')
  const question =
    accounts.length > 0 ? 'You belong to several accounts. Choose one, and enter your password again.' : ''
  return htmlPage(
    'Sign in',
    `${alert(problem ?? question)}
<form method="post" action="/app/sign-in">
${field('Email address', 'email', `type="email" autocomplete="username" required value="${escaped(email)}"`)}
${choice && `<p><label for="account">Account</label><select id="account" name="account">${choice}</select></p>`}
${field('Password', 'password', 'type="password" autocomplete="current-password" required')}
<p class="check"><input id="stays" name="stays" type="checkbox" value="1"><label for="stays">Stay signed in on this device</label></p>
<button>Sign in</button>
</form>
<p><a href="/app/reset">Forgot your password?</a></p>`,
  )
}

export const forgottenPage = ({ email = '', problem }: Form & { email?: string }) =>
  htmlPage(
    'Choose a new password',
    `${alert(problem)}
<p>We send a link to your address that lets you choose a new password within an hour.</p>
<form method="post" action="/app/reset">
${field('Email address', 'email', `type="email" autocomplete="username" required value="${escaped(email)}"`)}
<button>Send the link</button>
</form>
${backToSignIn}`,
  )

export const mailedPage = () =>
  htmlPage(
    'Look into your mail',
    `<p>If somebody here has that address, a link is on its way to it. It works once, within an hour.</p>
${backToSignIn}`,
  )

interface Choice extends Form {
  token: string
  /** The names of the API keys that a reset revokes, if known. */
  keys?: readonly string[] | undefined
}

export const choicePage = (purpose: 'reset' | 'invitation', { token, keys, problem }: Choice) =>
  htmlPage(
    purpose === 'reset' ? 'Choose a new password' : 'Welcome to Chorus',
    `${alert(problem)}
<form method="post" action="/app/${purpose}">
<input type="hidden" name="token" value="${escaped(token)}">
${purpose === 'invitation' ? names : ''}
${field('New password, at least 8 characters', 'password', 'type="password" autocomplete="new-password" minlength="8" maxlength="256" required')}
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

export const homePage = ({ user, account }: Person, rows: readonly Row[]) =>
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

const field = (label: string, name: string, attributes: string) =>
  `<p><label for="${name}">${label}</label><input id="${name}" name="${name}" ${attributes}></p>`

const names =
  field('First name', 'firstName', 'autocomplete="given-name" maxlength="64"') +
  field('Last name', 'lastName', 'autocomplete="family-name" maxlength="64"')

const alert = (sentence: string | undefined) => (sentence ? `<p role="alert">${escaped(sentence)}</p>` : '')

const backToSignIn = '<p><a href="/app/sign-in">Back to signing in</a></p>'
