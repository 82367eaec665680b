import type { Actor } from '../connector/actor.ts'
import type { Receipt } from '../connector/draft.ts'
import { NetworkError } from '../connector/fault.ts'
import { textAt, timeAt } from '../graph/answer.ts'
import { ask } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import type { Json } from '../wire/json.ts'

export const receiptFields = 'id,permalink_url,created_time'

/** What is known of a post; where its address was not told it is asked for, and done without if need be. */
export async function receiptOf(graph: Graph, actor: Actor, remoteId: string, known?: Json): Promise<Receipt> {
  const read = async () => {
    try {
      return await ask(graph, actor, { method: 'GET', path: remoteId, query: { fields: receiptFields } })
    } catch (error) {
      if (error instanceof NetworkError) return undefined
      throw error
    }
  }
  const shown = textAt(known, 'permalink_url') === undefined ? await read() : known
  const at = timeAt(shown, 'created_time') ?? graph.installation.clock.now()
  return { remoteId, remoteUrl: textAt(shown, 'permalink_url'), at }
}
