import { sandboxHosts } from '#main/process/network-apps.ts'
import type { Actor, Connector, Grant } from '#networks/connector/connector.ts'
import { hostsOf } from '#networks/connector/manifest.ts'
import type { NetworkApp } from '#networks/connector/network-app.ts'
import { manifestOf } from '#networks/manifests.ts'
import { openNetworks } from '#networks/networks.ts'
import type { sandboxNetworks } from '../sandbox-networks.ts'
import { optionsOf, requestedScopes, type Setup, setups, writtenScope } from './setups.ts'

type Sandbox = Awaited<ReturnType<typeof sandboxNetworks>>

/** The profile of a setup and the account that signs in for it; each setup has its own. */
export function profileIdOf(setup: Setup): { id: string; account: string; page: string } {
  const number = String(100 + setups.indexOf(setup))
  const id = idForms[setup.network](number)
  if (setup.network === 'LinkedIn' && setup.kind === 'member')
    return { id: `mAtrix${number}`, account: `mAtrix${number}`, page: '' }
  const person = setup.network === 'LinkedIn' ? `mAtrix${number}` : `8800000000${number}`
  const isOwnLogin = !isThroughPage(setup) && !['Facebook', 'LinkedIn'].includes(setup.network)
  return { id, account: isOwnLogin ? id : person, page: `6600000000${number}` }
}

const idForms: { readonly [network in Setup['network']]: (number: string) => string } = {
  Facebook: (number) => `5500000000${number}`,
  Instagram: (number) => `178414000${number}`,
  LinkedIn: (number) => `5500${number}`,
  Twitter: (number) => `1500000000000001${number}`,
  YouTube: (number) => `UCmatrix0000000000000${number}`,
  TikTok: (number) => `7100000000000001${number}`,
}

const isThroughPage = ({ options }: Setup) => options?.login === 'facebook'

/** Creates the profile in the sandbox, with the permissions of its owner. */
export async function makeProfile(sandbox: Pick<Sandbox, 'control'>, setup: Setup) {
  const { network, kind, sandbox: given = {} } = setup
  const { id, account, page } = profileIdOf(setup)
  const name = `Matrix ${id}`
  const make = async (profile: object) => {
    const { status, body } = await sandbox.control('/profile', { name, followers: 1_000_000, ...profile })
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  const { tier, tasks, role } = given
  if (network === 'LinkedIn' && kind === 'page') await make({ network, kind: 'member', id: account, account, tier })
  if (isThroughPage(setup)) {
    await make({ network: 'Facebook', kind: 'page', id: page, account, tasks })
    return make({ network, kind, id, page, tier })
  }
  return make({ network, kind, id, account, tier, tasks, role })
}

/** The app of the recipe; Instagram through pages uses Facebook's app. */
export function appOf(
  sandbox: Pick<Sandbox, 'app' | 'url'>,
  setup: Setup,
  more: NetworkApp['options'] = {},
): NetworkApp {
  const options = { ...optionsOf(setup), ...more }
  const { clientId, clientSecret, apiVersion } = sandbox.app(isThroughPage(setup) ? 'Facebook' : setup.network)
  const hosts = sandboxHosts(hostsOf(manifestOf(setup.network), options), sandbox.url)
  return { clientId, clientSecret, apiVersion, hosts, scopes: requestedScopes(setup), options }
}

/** The query string that the user's choices add to the consent page. */
export function consentOf(setup: Setup): string {
  const ticked = requestedScopes(setup).filter((scope) => !setup.unticked?.includes(scope))
  const query = new URLSearchParams({ auto: '1', account: profileIdOf(setup).account })
  if (setup.unticked) for (const scope of ticked) query.append('granted', writtenScope(setup.network, scope))
  return query.toString()
}

/** Sets the products of LinkedIn's app. */
export async function chooseProducts(sandbox: Pick<Sandbox, 'control'>, { network, preset }: Setup) {
  if (network === 'LinkedIn') await sandbox.control('/app', { network, products: preset })
}

export interface Connected {
  connector: Connector
  grant: Grant | undefined
  /** The same token, used without the gates of the setup. */
  unrestricted: { connector: Connector; actor: Actor }
}

/** Signs in at the sandbox as the user of the setup. */
export async function connect(sandbox: Sandbox, setup: Setup): Promise<Connected> {
  await chooseProducts(sandbox, setup)
  const open = (more: NetworkApp['options'] = {}) =>
    openNetworks({ [setup.network]: appOf(sandbox, setup, more) }, sandbox.world).connector(setup.network) as Connector
  const connector = open()
  const login = { state: 's', redirectUri: 'http://127.0.0.1:1/back', verifier: 'v'.repeat(43) }
  const { headers, body } = await sandbox.call(`${connector.authorizeUrl(login)}&${consentOf(setup)}`)
  const code = new URL(headers.get('location') ?? `http://none/${String(body)}`).searchParams.get('code')
  if (!code) throw new Error(`${setup.network} did not grant access: ${body} ${headers.get('location')}`)
  const grants = await connector.exchangeCode({ ...login, code })
  const { id } = profileIdOf(setup)
  const grant = grants.find(({ remoteId }) => remoteId === id)
  const known = grant ?? { ...(grants[0] as Grant), kind: setup.kind, remoteId: id }
  const actor = { ...known, tier: undefined, secret: { ...known.secret, scopes: [] } }
  return { connector, grant, unrestricted: { connector: open({ tier: 'enterprise', messages: 'yes' }), actor } }
}
