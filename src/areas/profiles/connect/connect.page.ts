import { z } from 'zod'
import { invalid } from '#kernel/errors.ts'
import { escaped, htmlPage, type Page, type PageAnswer, type Visit } from '#kernel/http/route/page.ts'
import * as params from '#kernel/wire/params.ts'
import type { Grant } from '#networks/connector/connector.ts'
import { connectedNetworks, type Network, networkNames, networkSpellings } from '#networks/manifests.ts'
import type { ProfileInstallation } from '../access/profile-row.ts'
import { redirectUrl } from '../setup/network-setup.ts'
import { type Attempt, attemptSeconds, newAttempt, openAttempt, requireState, sealAttempt } from './attempt.ts'
import { connectorFor, finishChoice, finishLogin } from './connect.ts'

const cookie = 'chorus_connect'
const network = params.word(networkNames, networkSpellings)

/**
 * The redirects to a network's login and back, for admins and advocates; `publicUrl` is set if browsers reach the service at another
 * origin.
 */
export const connectPages = (installation: ProfileInstallation, publicUrl: string | undefined): Page[] => {
  const attemptOf = ({ cookies, values }: Visit) =>
    openAttempt(installation.keyring, cookies[cookie], networkOf(values), installation.clock.now())

  const begin =
    (boardOnly: boolean): Page['run'] =>
    async ({ identity, values, origin }) => {
      if (!identity) throw invalid('Nobody asks.')
      const wanted = networkOf(values)
      const connector = connectorFor(installation, wanted)
      const redirectUri = redirectUrl(publicUrl ?? origin, wanted)
      const { accountId, userId, via } = identity
      const begun = { accountId, userId, via, network: wanted, redirectUri, boardOnly, ...read(beginParams, values) }
      const attempt = newAttempt(begun, installation.clock.now())
      const location = connector.authorizeUrl(attempt)
      return { status: 302, headers: { location, 'set-cookie': setCookie(installation, attempt) }, body: '' }
    }

  return [
    { method: 'GET', path: '/app/connect/{network}', needs: 'administer', run: begin(false) },
    // Members of a board connect their own profiles.
    { method: 'GET', path: '/app/board/connect/{network}', needs: 'share', run: begin(true) },
    {
      method: 'GET',
      path: '/app/connect/{network}/callback',
      async run(visit): Promise<PageAnswer> {
        const attempt = attemptOf(visit)
        const { code, state, error, errorDescription } = read(callbackParams, visit.values)
        requireState(attempt, state)
        if (!code && attempt.inConsole) return backTo(attempt, { refused: attempt.network })
        if (!code)
          throw invalid(`${attempt.network} did not let us in: ${errorDescription || error || 'no reason was given'}.`)
        const { connected, offer } = await finishLogin(installation, visit.visitor, attempt, code)
        if (attempt.inConsole) {
          const connectedIds = connected.map(({ id }) => id).join()
          return backTo(attempt, {
            ...(connectedIds && { connected: connectedIds }),
            ...(offer && { offer: offer.id }),
          })
        }
        if (offer) return { status: 200, body: choicePage(attempt.network, connected, offer) }
        return {
          status: 200,
          headers: { 'set-cookie': clearCookie(attempt) },
          body: donePage(attempt.network, connected),
        }
      },
    },
    {
      method: 'POST',
      path: '/app/connect/{network}/choice',
      async run(visit) {
        const attempt = attemptOf(visit)
        const { offer, profiles } = read(choiceParams, visit.values)
        const { connected } = await finishChoice(installation, visit.visitor, attempt, offer, profiles)
        return {
          status: 200,
          headers: { 'set-cookie': clearCookie(attempt) },
          body: donePage(attempt.network, connected),
        }
      },
    },
  ]
}

const text = params.line({ min: 0, max: 4096 })
const ids = params.lineList({ max: 500 })

const beginParams = z
  .object({ credential: text.optional(), profiles: ids.optional(), console: params.flag.optional() })
  .transform(({ credential = '', profiles = [], console: inConsole = false }) => ({
    credentialId: credential,
    profiles,
    inConsole,
  }))
const callbackParams = z
  .object({ code: text.optional(), state: text.optional(), error: text.optional(), error_description: text.optional() })
  .transform(({ code = '', state = '', error = '', error_description = '' }) => ({
    code,
    state,
    error,
    errorDescription: error_description,
  }))
const choiceParams = z
  .object({ offer: text, profiles: ids.optional() })
  .transform(({ offer, profiles = [] }) => ({ offer, profiles }))

function networkOf({ network: name }: Visit['values']): Network {
  const known = read(z.object({ network }), { network: name }).network
  const connectable = connectedNetworks.find((one) => one === known)
  if (!connectable) throw invalid(`Profiles of ${known} cannot be connected.`)
  return connectable
}

function read<Schema extends z.ZodType>(schema: Schema, values: Visit['values']): z.output<Schema> {
  const { success, data, error } = schema.safeParse(values)
  if (!success) throw invalid(`${error.issues[0]?.path.join('.')} ${error.issues[0]?.message}.`)
  return data
}

/** Redirects to the console's profiles page with a result code; never with text, which a crafted URL could contain. */
const backTo = (attempt: Attempt, outcome: { readonly [name: string]: string }): PageAnswer => ({
  status: 303,
  headers: { location: `/app/profiles?${new URLSearchParams(outcome)}`, 'set-cookie': clearCookie(attempt) },
  body: '',
})

/** Limited to this network's path, and not sent with cross-site form submissions. */
const setCookie = ({ keyring }: ProfileInstallation, attempt: Attempt) =>
  `${cookie}=${sealAttempt(keyring, attempt)}; ${attributes(attempt, attemptSeconds)}`

const clearCookie = (attempt: Attempt) => `${cookie}=; ${attributes(attempt, 0)}`

function attributes({ network: name, redirectUri }: Attempt, seconds: number): string {
  const secure = redirectUri.startsWith('https:') ? '; Secure' : ''
  return `Path=/app/connect/${name}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

const donePage = (network: Network, connected: readonly Grant[]) =>
  connected.length === 0
    ? htmlPage('Nothing was connected', `<p>No ${network} profile was chosen. You can close this window.</p>`)
    : htmlPage('Connected', `${nameList(connected)}<p>You can close this window.</p>`)

const choicePage = (network: Network, connected: readonly Grant[], offer: { id: string; grants: readonly Grant[] }) =>
  htmlPage(
    `Which ${network} profiles shall be connected?`,
    `${connected.length > 0 ? `<p>Connected already, and renewed:</p>${nameList(connected)}` : ''}
<form method="post" action="/app/connect/${network}/choice">
<input type="hidden" name="offer" value="${escaped(offer.id)}">
<ul>${offer.grants.map((grant) => `<li>${checkbox(grant)}</li>`).join('\n')}</ul>
<button>Connect</button>
</form>`,
  )

const nameList = (grants: readonly Grant[]) =>
  `<ul>${grants.map((grant) => `<li>${escaped(grant.name)} <small>${escaped(grant.username)}</small></li>`).join('\n')}</ul>`

const checkbox = ({ remoteId, name, username, kind, picture }: Grant) =>
  `<label><input type="checkbox" name="profiles[]" value="${escaped(remoteId)}" checked>${
    picture ? `<img src="${escaped(picture)}" alt="">` : ''
  }<span>${escaped(name)} <small>${escaped(username)}, ${kind}</small></span></label>`
