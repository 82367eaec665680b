import type { Grant, Secret } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import { openPages } from '../graph/facebook-login.ts'
import type { Graph } from '../graph/graph.ts'
import { listAt, textAt } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'

/** The pages a person runs, each with its own token. */
export async function exchangeCode(graph: Graph, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const fields = 'id,name,username,access_token,tasks,picture{url}'
  const { pages, personId, scopes: granted, expiresAt } = await openPages(graph, login, fields)
  return pages.map((page): Grant => {
    const name = textAt(page, 'name') ?? ''
    return {
      network: 'Facebook',
      kind: 'page',
      remoteId: textAt(page, 'id') ?? '',
      username: textAt(page, 'username') ?? name,
      name,
      picture: textAt(page, 'picture', 'data', 'url'),
      parentRemoteId: personId,
      secret: { accessToken: textAt(page, 'access_token') ?? '', scopes: usable(granted, page), expiresAt },
    }
  })
}

/** What was granted and the person's tasks on the page allow; all of it where they are not told. */
function usable(granted: readonly string[], page: Json): string[] {
  const tasks = listAt(page, 'tasks').map(String)
  return granted.filter((scope) => !tasks.length || !taskFor[scope] || tasks.includes(taskFor[scope]))
}

const taskFor: { readonly [scope: string]: string | undefined } = {
  pages_manage_posts: 'CREATE_CONTENT',
  pages_manage_engagement: 'MODERATE',
  pages_messaging: 'MESSAGING',
  read_insights: 'ANALYZE',
}

/** There is nothing to renew a page's token with. */
export async function refreshToken(): Promise<Secret> {
  const sentence = 'Facebook gives a new access to a page only when somebody logs in again.'
  throw new NetworkError('Facebook', { kind: 'token', remedy: 'reconnect' }, sentence)
}
