import type { Clock } from '#kernel/clock.ts'
import type { Actor } from '../connector/actor.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { NetworkCall, Part } from '../wire/network-http.ts'
import { openNetworkHttp } from '../wire/network-http.ts'
import { isRow, judge, type Row } from './refusals.ts'

type Query = { readonly [name: string]: string | number | undefined }

/** TikTok's business API. Every answer is the `data` of its envelope. */
export interface TikTokCalls {
  readonly app: NetworkApp
  readonly clock: Clock
  get(actor: Actor, path: string, query: Query): Promise<Row>
  post(actor: Actor, path: string, json: object, irreversible?: boolean): Promise<Row>
  /** A form with a file. */
  send(actor: Actor, path: string, parts: { [name: string]: Part }): Promise<Row>
  /** In the name of the app, which names itself in the body. */
  asApp(path: string, json: object): Promise<Row>
  /** The same for a question. */
  askAsApp(path: string, query: Query): Promise<Row>
}

export function openCalls(app: NetworkApp, installation: NetworkInstallation): TikTokCalls {
  const http = openNetworkHttp('TikTok', app, installation, judge(installation.clock))
  const base = `${app.hosts.business}/open_api/${app.apiVersion}`
  const ask = async (path: string, call: Omit<NetworkCall, 'url'>): Promise<Row> => {
    const { body } = await http({ ...call, url: `${base}/${path}/` })
    return isRow(body) && isRow(body.data) ? body.data : {}
  }
  return {
    app,
    clock: installation.clock,
    get: (actor, path, query) =>
      ask(path, {
        method: 'GET',
        holder: actor.remoteId,
        headers: by(actor),
        query: { business_id: actor.remoteId, ...query },
      }),
    post: (actor, path, json, irreversible = false) =>
      ask(path, { method: 'POST', headers: by(actor), json: { business_id: actor.remoteId, ...json }, irreversible }),
    send: (actor, path, parts) =>
      ask(path, { method: 'POST', headers: by(actor), multipart: { business_id: actor.remoteId, ...parts } }),
    asApp: (path, json) => ask(path, { method: 'POST', json }),
    askAsApp: (path, query) => ask(path, { method: 'GET', query }),
  }
}

const by = ({ secret }: Actor) => ({ 'access-token': secret.accessToken })
