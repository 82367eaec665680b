import type { Grant, Secret } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import { textAt } from '../graph/answer.ts'
import { openPages } from '../graph/facebook-login.ts'
import type { Graph } from '../graph/graph.ts'

/** The pages a person runs, each with its own token. */
export async function exchangeCode(graph: Graph, login: { code: string; redirectUri: string }): Promise<Grant[]> {
  const fields = 'id,name,username,access_token,picture{url}'
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
      secret: { accessToken: textAt(page, 'access_token') ?? '', scopes: granted, expiresAt },
    }
  })
}

/** There is nothing to renew a page's token with. */
export async function refreshToken(): Promise<Secret> {
  const sentence = 'Facebook gives a new access to a page only when somebody logs in again.'
  throw new NetworkError('Facebook', { kind: 'token', remedy: 'reconnect' }, sentence)
}
