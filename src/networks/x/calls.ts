import type { Actor } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { NetworkAnswer, NetworkCall } from '../wire/network-call.ts'
import { openNetworkHttp } from '../wire/network-http.ts'
import { dataOf } from './answers.ts'
import { budgetsOf, openBill } from './prices.ts'
import { refusalOf } from './refusals.ts'
import { reportUsage } from './usage.ts'

/** A call by its path under the version. */
export type XCall = Omit<NetworkCall, 'url' | 'headers'> & { path: string }

/** The ways to X that the connector has. */
export interface XCalls {
  readonly app: NetworkApp
  readonly installation: NetworkInstallation
  /** In the name of a profile. */
  as(actor: Actor, call: XCall): Promise<NetworkAnswer>
  /** In the name of the app, with the bearer it was given. */
  asApp(bearer: string, call: XCall): Promise<NetworkAnswer>
  /** With one of the app's key pairs; the path is one from the root. */
  withKeys(keys: { id: string; secret: string }, call: XCall): Promise<NetworkAnswer>
}

export function openCalls(app: NetworkApp, installation: NetworkInstallation): XCalls {
  const send = (who: string, authorization: string, call: NetworkCall) =>
    openNetworkHttp('Twitter', app, installation, (answer, asked) => {
      reportUsage(installation, who, answer, asked)
      return refusalOf(answer, asked, installation.clock.now())
    })({ ...call, headers: { authorization } })
  // Enterprise contracts have prices of their own.
  const bill = app.options.tier === 'enterprise' ? undefined : openBill()
  const inNameOf = async (actor: Actor, call: XCall) => {
    const { remoteId: holder, secret } = actor
    const sent = { ...versioned(call), holder, uses: budgetsOf(call) }
    const answer = await send(holder, `Bearer ${secret.accessToken}`, sent)
    if (bill) installation.meter?.spent(holder, bill(call, answer, installation.clock.now()))
    return answer
  }
  const root = app.hosts.api
  const versioned = ({ path, ...call }: XCall) => ({ ...call, url: `${root}/${app.apiVersion}${path}` })
  return {
    app,
    installation,
    as: inNameOf,
    asApp: (bearer, call) => send('app', `Bearer ${bearer}`, versioned(call)),
    withKeys: ({ id, secret }, { path, ...call }) => send('app', basic(id, secret), { ...call, url: `${root}${path}` }),
  }
}

/** The id an answer must carry; without it a call that cannot be repeated may or may not have had its effect. */
export function idIn(answer: NetworkAnswer, name: string, kind: 'retryable' | 'unknownOutcome' = 'retryable'): string {
  const id = dataOf<{ [name: string]: unknown }>(answer)[name]
  if (typeof id === 'string' && id !== '') return id
  const sentence = 'Twitter: the answer of the network says nothing that can be understood.'
  throw new NetworkError('Twitter', { kind }, sentence, { status: answer.status })
}

const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`

/** Where a post can be seen. */
export const postUrl = ({ app }: XCalls, username: string | undefined, id: string) =>
  `${app.hosts.public}/${username ?? 'i'}/status/${id}`
