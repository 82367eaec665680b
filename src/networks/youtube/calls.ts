import type { Actor } from '../connector/actor.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { NetworkAnswer, NetworkCall, NetworkHttp } from '../wire/network-http.ts'
import { openNetworkHttp } from '../wire/network-http.ts'
import { type MethodName, methods, openJudge } from './refusals.ts'

/** Everything a function needs to talk to YouTube. */
export interface Calls {
  app: NetworkApp
  installation: NetworkInstallation
  http: NetworkHttp
}

export function openCalls(app: NetworkApp, installation: NetworkInstallation): Calls {
  const http = openNetworkHttp('YouTube', app, installation, openJudge(installation.clock))
  return { app, installation, http }
}

type Sent = Pick<NetworkCall, 'query' | 'json' | 'headers' | 'irreversible'>

/** Calls a method of the Data API in the channel's name. */
export function ask(calls: Calls, actor: Actor, name: MethodName, sent: Sent): Promise<NetworkAnswer> {
  const { hosts, apiVersion } = calls.app
  const { method, path, cost: uses } = methods[name]
  const upload = name === 'videos.insert' ? '/upload' : ''
  const url = `${hosts.api}${upload}/youtube/${apiVersion}/${path}`
  const headers = { ...authorization(actor), ...sent.headers }
  return calls.http({ ...sent, method, url, headers, holder: actor.remoteId, uses })
}

/** The rows of an answer; what is not a list has none. */
export async function askList<Row>(calls: Calls, actor: Actor, name: MethodName, query: Sent['query'] = {}) {
  const { body } = await ask(calls, actor, name, { query })
  const { items = [], nextPageToken } = (body ?? {}) as { items?: Row[]; nextPageToken?: string }
  return { items, nextPageToken }
}

export const authorization = ({ secret }: Pick<Actor, 'secret'>) => ({ authorization: `Bearer ${secret.accessToken}` })

export const watchUrl = ({ hosts }: NetworkApp, videoId: string, commentId?: string) =>
  `${hosts.public}/watch?v=${videoId}${commentId === undefined ? '' : `&lc=${commentId}`}`
