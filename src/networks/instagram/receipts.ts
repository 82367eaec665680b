import type { Actor } from '../connector/actor.ts'
import type { Receipt } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { textAt, timeAt } from '../graph/answer.ts'
import { ask } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'

/** Where a new post can be seen; it is published also when Instagram does not say. */
export async function receiptOf(graph: Graph, actor: Actor, remoteId: string): Promise<Receipt> {
  try {
    const answer = await ask(graph, actor, { method: 'GET', path: remoteId, query: { fields: 'permalink,timestamp' } })
    const at = timeAt(answer, 'timestamp') ?? graph.installation.clock.now()
    return { remoteId, remoteUrl: textAt(answer, 'permalink'), at }
  } catch (error) {
    if (error instanceof NetworkError) return { remoteId, at: graph.installation.clock.now() }
    throw error
  }
}
