import { createHash } from 'node:crypto'
import { type ApiRequest, textOf } from '../http/request.ts'
import { ApiError, type ApiResponse, escapeHtml, html, redirect, renderPage } from '../http/response.ts'
import { decodeSegment } from '../http/router.ts'
import { apps, manifests } from '../manifests.ts'
import { secret } from '../state/ids.ts'
import type { Code, Network } from '../state/rows.ts'

interface ConsentOptions {
  network: Network
  /** The query parameter with the app id. */
  clientField?: string
  separator: RegExp
  defaultScopes?: string[]
  /** X requires PKCE. */
  requiresChallenge?: boolean
}

/** The OAuth consent page: asks the user, then redirects back with a code or an error. */
export function consent(request: ApiRequest, style: ConsentOptions): ApiResponse {
  const { network, separator, clientField = 'client_id' } = style
  const redirectUri = textOf(request, 'redirect_uri')
  const problem = consentProblem(request, style, clientField)
  if (problem || !redirectUri)
    return html(renderPage('Cannot sign in', `<p>${escapeHtml(problem ?? 'No address.')}</p>`), 400)
  const accounts = request.state.accounts.all().filter((account) => account.network === network)
  const accountId = textOf(request, 'account')
  const account = accounts.find(({ id }) => id === accountId) ?? accounts[0]
  const decision = request.query.get('auto') === '1' ? 'allow' : textOf(request, 'decision')
  const requested = (textOf(request, 'scope') ?? '').split(separator).filter(Boolean)
  const grantedScopes = request.query.getAll('granted')
  const scopes = grantedScopes.length ? requested.filter((scope) => grantedScopes.includes(scope)) : requested
  if (!account || !decision) return html(consentPage(request, network, accounts, requested))
  if (decision !== 'allow')
    return redirectBack(request, redirectUri, { error: 'access_denied', error_reason: 'user_denied' })
  const { code } = request.state.codes.put({
    code: secret(`${network.toLowerCase()}-code-`),
    network,
    app: apps[network].id,
    account: account.id,
    redirectUri,
    scopes: scopes.length ? scopes : (style.defaultScopes ?? []),
    ...challengeOf(request),
    expiresAt: request.state.clock.now() + manifests[network].codeLifetime,
    used: false,
  })
  return redirectBack(request, redirectUri, { code })
}

function consentProblem(request: ApiRequest, { network, requiresChallenge }: ConsentOptions, clientField: string) {
  if (textOf(request, clientField) !== apps[network].id) return `The app named in ${clientField} is not registered.`
  if (!URL.canParse(textOf(request, 'redirect_uri') ?? '')) return 'redirect_uri is missing or not an address.'
  if ((textOf(request, 'response_type') ?? 'code') !== 'code') return 'response_type must be code.'
  if (requiresChallenge && !textOf(request, 'code_challenge')) return 'code_challenge is missing.'
  return undefined
}

function challengeOf(request: ApiRequest): Pick<Code, 'challenge' | 'challengeMethod'> {
  const challenge = textOf(request, 'code_challenge')
  if (!challenge) return {}
  return { challenge, challengeMethod: textOf(request, 'code_challenge_method') ?? 'plain' }
}

function consentPage(
  request: ApiRequest,
  network: Network,
  accounts: { id: string; name: string }[],
  scopes: string[],
) {
  const parameters = [...request.query].filter(([name]) => !['decision', 'account', 'auto', 'granted'].includes(name))
  const hidden = parameters.map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  )
  const options = accounts.map(({ id, name }) => `<option value="${escapeHtml(id)}">${escapeHtml(name)}</option>`)
  return renderPage(
    `Sign in to ${network} (sandbox)`,
    `<form method="get">${hidden.join('')}
<p>An app asks to act for you on ${network}.</p>
<p><label>Account <select name="account">${options.join('')}</select></label></p>
${scopes.map(scopeCheckbox).join('\n')}
<p><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></p></form>`,
  )
}

function scopeCheckbox(scope: string): string {
  const name = escapeHtml(scope)
  return `<p><label><input type="checkbox" name="granted" value="${name}" checked> ${name}</label></p>`
}

function redirectBack(request: ApiRequest, redirectUri: string, values: Record<string, string>): ApiResponse {
  const target = new URL(redirectUri)
  for (const [name, value] of Object.entries(values)) target.searchParams.set(name, value)
  const state = textOf(request, 'state')
  if (state !== undefined) target.searchParams.set('state', state)
  return redirect(target.href)
}

export type CodeProblem = 'code' | 'expired' | 'redirect' | 'verifier'

/** Redeems an authorization code once; each network has its own error responses. */
export function redeemCode(
  request: ApiRequest,
  network: Network,
  refuse: (problem: CodeProblem) => ApiResponse,
  given?: string,
): Code {
  const code = request.state.codes.get(given ?? textOf(request, 'code') ?? '')
  const refused = (problem: CodeProblem) => new ApiError(refuse(problem))
  if (code?.network !== network || code.used) throw refused('code')
  if (code.expiresAt <= request.state.clock.now()) throw refused('expired')
  if (code.redirectUri !== textOf(request, 'redirect_uri')) throw refused('redirect')
  if (!matchesChallenge(code, textOf(request, 'code_verifier'))) throw refused('verifier')
  return request.state.codes.change(code, { used: true })
}

function matchesChallenge({ challenge, challengeMethod }: Code, verifier: string | undefined): boolean {
  if (challenge === undefined) return true
  if (verifier === undefined) return false
  if (challengeMethod === 'plain') return challenge === verifier
  const digest = createHash('sha256').update(verifier).digest()
  // TikTok's desktop login encodes the digest in hex; the others use base64url.
  return [digest.toString('base64url'), digest.toString('hex')].includes(challenge)
}

/** Checks the client id and secret, from parameters or from Basic authentication. */
export function isRegisteredClient(request: ApiRequest, network: Network, idField = 'client_id'): boolean {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  const [id, key] = basic
    ? Buffer.from(basic, 'base64').toString('utf8').split(':').map(decodeSegment)
    : [textOf(request, idField), textOf(request, 'client_secret')]
  return id === apps[network].id && key === apps[network].secret
}
