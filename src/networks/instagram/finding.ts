import type { Actor } from '../connector/actor.ts'
import type { Draft, Found, Progress } from '../connector/draft.ts'
import { ask } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { listAt, textAt, timeAt } from '../graph/graph.ts'
import { isSaid, isSince } from '../graph/words.ts'
import type { Json } from '../wire/json.ts'
import { readContainer } from './publishing.ts'

/** A container can be published once and says so afterwards; which post it became, the newest posts show. */
export async function findPost(
  graph: Graph,
  actor: Actor,
  draft: Draft,
  since: Date,
  progress?: Progress,
): Promise<Found> {
  const id = textAt(progress, 'container')
  const state = id === undefined ? 'gone' : (await readContainer(graph, actor, id)).state
  if (state !== 'published' && state !== 'gone') return { state: 'absent' }
  const fields = 'id,caption,permalink,timestamp,media_type'
  const query = { fields, limit: 50 }
  const answer = await ask(graph, actor, { method: 'GET', path: `${actor.remoteId}/media`, query })
  const recent = listAt(answer, 'data').filter((row) => isSince(row, 'timestamp', since))
  const names = { text: 'caption', time: 'timestamp' }
  const same = recent.filter((row) => isSaid(row, names, draft.text, since) && isOfKind(row, draft))
  // A published container became one of these; where there is one only, its words need not be the same.
  const candidates = state === 'published' && !same.length ? recent : same
  const [only, second] = candidates
  if (only && !second) return found(only, since)
  if (state === 'gone' && !recent.length) return { state: 'absent' }
  return {
    state: 'undecidable',
    why: 'Instagram does not say which of the newest posts of this account this is; check the profile.',
  }
}

const found = (row: Json, since: Date): Found => ({
  state: 'found',
  remoteId: textAt(row, 'id') ?? '',
  remoteUrl: textAt(row, 'permalink'),
  at: timeAt(row, 'timestamp') ?? since,
})

const isOfKind = (row: Json, { media }: Draft) => (textAt(row, 'media_type') === 'CAROUSEL_ALBUM') === media.length > 1
