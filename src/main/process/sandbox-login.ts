import { randomBytes } from 'node:crypto'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { Grant } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'

/** Logs in to a sandbox network as a person would, except that nobody has to click. */
export async function sandboxLogin(connector: Connector, outbound: Outbound, account?: string): Promise<Grant[]> {
  const login = {
    redirectUri: 'http://127.0.0.1/app/connect/callback/',
    state: randomBytes(12).toString('base64url'),
    verifier: randomBytes(48).toString('base64url'),
  }
  const url = new URL(connector.authorizeUrl(login))
  url.searchParams.set('auto', '1')
  if (account !== undefined) url.searchParams.set('account', account)
  const { status, headers } = await outbound.send({ method: 'GET', url: url.href })
  const code = headers.location && new URL(headers.location).searchParams.get('code')
  if (!code) throw new Error(`The sandbox did not let us in; it answered ${status}.`)
  return connector.exchangeCode({ ...login, code })
}
