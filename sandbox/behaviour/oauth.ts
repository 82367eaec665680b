import { createHash } from 'node:crypto'
import type { Call } from '../http/request.ts'
import { textOf } from '../http/request.ts'
import { type Answer, escaped, html, page, Refusal, redirect } from '../http/response.ts'
import { decoded } from '../http/router.ts'

import { apps, manifests } from '../manifests.ts'
import { secret } from '../state/ids.ts'
import type { Code, Network } from '../state/rows.ts'

interface ConsentStyle {
  network: Network
  /** What the network calls the app's id in the address. */
  clientField?: string
  separator: RegExp
  defaultScopes?: string[]
  /** X refuses a login without a challenge. */
  challengeNeeded?: boolean
}

/** The page where a person lets the app in: asks, then leads back with a code or a refusal. */
export function consent(call: Call, style: ConsentStyle): Answer {
  const { network, separator, clientField = 'client_id' } = style
  const redirectUri = textOf(call, 'redirect_uri')
  const problem = consentProblem(call, style, clientField)
  if (problem || !redirectUri) return html(page('Cannot sign in', `<p>${escaped(problem ?? 'No address.')}</p>`), 400)
  const accounts = call.world.accounts.all().filter((account) => account.network === network)
  const wanted = textOf(call, 'account')
  const account = accounts.find(({ id }) => id === wanted) ?? accounts[0]
  const decision = call.query.get('auto') === '1' ? 'allow' : textOf(call, 'decision')
  const asked = (textOf(call, 'scope') ?? '').split(separator).filter(Boolean)
  const ticked = call.query.getAll('granted')
  const scopes = ticked.length ? asked.filter((scope) => ticked.includes(scope)) : asked
  if (!account || !decision) return html(consentPage(call, network, accounts, asked))
  if (decision !== 'allow') return backTo(call, redirectUri, { error: 'access_denied', error_reason: 'user_denied' })
  const { code } = call.world.codes.put({
    code: secret(`${network.toLowerCase()}-code-`),
    network,
    app: apps[network].id,
    account: account.id,
    redirectUri,
    scopes: scopes.length ? scopes : (style.defaultScopes ?? []),
    ...challengeOf(call),
    expiresAt: call.world.clock.now() + manifests[network].codeLifetime,
    used: false,
  })
  return backTo(call, redirectUri, { code })
}

function consentProblem(call: Call, { network, challengeNeeded }: ConsentStyle, clientField: string) {
  if (textOf(call, clientField) !== apps[network].id) return `The app named in ${clientField} is not registered.`
  if (!URL.canParse(textOf(call, 'redirect_uri') ?? '')) return 'redirect_uri is missing or not an address.'
  if ((textOf(call, 'response_type') ?? 'code') !== 'code') return 'response_type must be code.'
  if (challengeNeeded && !textOf(call, 'code_challenge')) return 'code_challenge is missing.'
  return undefined
}

function challengeOf(call: Call): Pick<Code, 'challenge' | 'challengeMethod'> {
  const challenge = textOf(call, 'code_challenge')
  if (!challenge) return {}
  return { challenge, challengeMethod: textOf(call, 'code_challenge_method') ?? 'plain' }
}

function consentPage(call: Call, network: Network, accounts: { id: string; name: string }[], scopes: string[]) {
  const kept = [...call.query].filter(([name]) => !['decision', 'account', 'auto', 'granted'].includes(name))
  const hidden = kept.map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
  const options = accounts.map(({ id, name }) => `<option value="${escaped(id)}">${escaped(name)}</option>`)
  return page(
    `Sign in to ${network} (sandbox)`,
    `<form method="get">${hidden.join('')}
<p>An app asks to act for you on ${network}.</p>
<p><label>Account <select name="account">${options.join('')}</select></label></p>
${scopes.map(tickBox).join('\n')}
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p></form>`,
  )
}

function tickBox(scope: string): string {
  const name = escaped(scope)
  return `<p><label><input type="checkbox" name="granted" value="${name}" checked> ${name}</label></p>`
}

function backTo(call: Call, redirectUri: string, values: Record<string, string>): Answer {
  const target = new URL(redirectUri)
  for (const [name, value] of Object.entries(values)) target.searchParams.set(name, value)
  const state = textOf(call, 'state')
  if (state !== undefined) target.searchParams.set('state', state)
  return redirect(target.href)
}

export type CodeProblem = 'code' | 'expired' | 'redirect' | 'verifier'

/** Uses up a code; every network has its own words for what may be wrong with it. */
export function redeem(call: Call, network: Network, refuse: (problem: CodeProblem) => Answer, given?: string): Code {
  const code = call.world.codes.get(given ?? textOf(call, 'code') ?? '')
  const refused = (problem: CodeProblem) => new Refusal(refuse(problem))
  if (code?.network !== network || code.used) throw refused('code')
  if (code.expiresAt <= call.world.clock.now()) throw refused('expired')
  if (code.redirectUri !== textOf(call, 'redirect_uri')) throw refused('redirect')
  if (!answersChallenge(code, textOf(call, 'code_verifier'))) throw refused('verifier')
  return call.world.codes.change(code, { used: true })
}

function answersChallenge({ challenge, challengeMethod }: Code, verifier: string | undefined): boolean {
  if (challenge === undefined) return true
  if (verifier === undefined) return false
  if (challengeMethod === 'plain') return challenge === verifier
  const digest = createHash('sha256').update(verifier).digest()
  // TikTok's desktop login writes the digest in hex where the others use base64url.
  return [digest.toString('base64url'), digest.toString('hex')].includes(challenge)
}

/** The app's id and secret, from the fields or from Basic authentication. */
export function isOurApp(call: Call, network: Network, idField = 'client_id'): boolean {
  const basic = /^Basic (.+)$/i.exec(call.headers.authorization ?? '')?.[1]
  const [id, key] = basic
    ? Buffer.from(basic, 'base64').toString('utf8').split(':').map(decoded)
    : [textOf(call, idField), textOf(call, 'client_secret')]
  return id === apps[network].id && key === apps[network].secret
}
