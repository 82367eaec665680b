import type { Actor, Grant, Secret } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import { listAt, textAt } from '../graph/answer.ts'
import { ask, askAs, type GraphCall, needed } from '../graph/calls.ts'
import { openPages } from '../graph/facebook-login.ts'
import type { Graph } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'
import { accountGrant } from './login.ts'

/** The accounts behind a person's pages, each used with its page's token. */
export async function exchangePageCode(graph: Graph, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const fields = 'id,name,access_token,tasks,instagram_business_account'
  const { pages, personId, scopes, expiresAt } = await openPages(graph, login, fields)
  const linked = pages.filter((page) => accountIn(page) !== undefined)
  return Promise.all(
    linked.map(async (page) => {
      const remoteId = accountIn(page) ?? ''
      const token = textAt(page, 'access_token') ?? ''
      const query = { fields: 'username,name,profile_picture_url' }
      const account = await askAs(graph, { token, of: remoteId }, { method: 'GET', path: remoteId, query })
      const secret = { accessToken: token, scopes: usable(scopes, page), expiresAt, pageId: textAt(page, 'id') }
      return { ...accountGrant(remoteId, account, secret), parentRemoteId: personId }
    }),
  )
}

/** What was granted and the person's tasks on the page allow; all of it where they are not told. */
function usable(granted: readonly string[], page: Json): string[] {
  const tasks = listAt(page, 'tasks').map(String)
  const mayPublish = tasks.length === 0 || tasks.includes('CREATE_CONTENT') || tasks.includes('MANAGE')
  return granted.filter((scope) => mayPublish || scope !== 'instagram_content_publish')
}

export async function refreshPageToken(): Promise<Secret> {
  const sentence = 'Instagram gives a new access to an account behind a page only when somebody logs in again.'
  throw new NetworkError('Instagram', { kind: 'token', remedy: 'reconnect' }, sentence)
}

/** What is told of an account comes through the subscription of its page, to whichever of the page's fields. */
export async function subscribePage(graph: Graph, actor: Actor): Promise<void> {
  const page = actor.secret.pageId ?? (await ownPage(graph, actor))
  const path = `${page}/subscribed_apps`
  const subscribed = listAt(await ask(graph, actor, { method: 'GET', path }), 'data')
  // A page that is connected itself is subscribed to more, which this must not take away.
  if (subscribed.some((app) => textAt(app, 'id') === graph.app.clientId && listAt(app, 'subscribed_fields').length > 0))
    return
  await ask(graph, actor, { method: 'POST', path, form: { subscribed_fields: 'feed' } })
}

/** Of profiles that were connected before page ids were kept, the token knows its page. */
async function ownPage(graph: Graph, actor: Actor): Promise<string> {
  const call: GraphCall = { method: 'GET', path: 'me', query: { fields: 'id' } }
  return needed(graph, call, await ask(graph, actor, call), 'id')
}

const accountIn = (page: Json) => textAt(page, 'instagram_business_account', 'id')
