import type { Grant, Secret } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import { textAt } from '../graph/answer.ts'
import { askAs } from '../graph/calls.ts'
import { openPages } from '../graph/facebook-login.ts'
import type { Graph } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'
import { accountGrant } from './login.ts'

/** What is asked for where accounts are reached through their Facebook pages. */
export const pageScopes = [
  'instagram_basic',
  'instagram_content_publish',
  'instagram_manage_comments',
  'instagram_manage_insights',
  'instagram_manage_contents',
  'pages_show_list',
  'pages_read_engagement',
  'business_management',
]

/** The accounts behind a person's pages, each used with its page's token. */
export async function exchangePageCode(graph: Graph, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const fields = 'id,name,access_token,instagram_business_account'
  const { pages, personId, scopes, expiresAt } = await openPages(graph, login, fields)
  const linked = pages.filter((page) => accountIn(page) !== undefined)
  return Promise.all(
    linked.map(async (page) => {
      const remoteId = accountIn(page) ?? ''
      const token = textAt(page, 'access_token') ?? ''
      const query = { fields: 'username,name,profile_picture_url' }
      const account = await askAs(graph, { token, of: remoteId }, { method: 'GET', path: remoteId, query })
      return { ...accountGrant(remoteId, account, { accessToken: token, scopes, expiresAt }), parentRemoteId: personId }
    }),
  )
}

export async function refreshPageToken(): Promise<Secret> {
  const sentence = 'Instagram gives a new access to an account behind a page only when somebody logs in again.'
  throw new NetworkError('Instagram', { kind: 'token', remedy: 'reconnect' }, sentence)
}

const accountIn = (page: Json) => textAt(page, 'instagram_business_account', 'id')
