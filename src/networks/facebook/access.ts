import type { Actor } from '../connector/actor.ts'
import { profileRules } from '../connector/connector.ts'
import { NetworkError } from '../connector/fault.ts'
import type { Feature } from '../content/limits.ts'
import type { Graph } from '../graph/graph.ts'
import { manifest } from './manifest.ts'

/** Refuses what the login or the person's tasks on the page do not allow, with the sentence that writers see. */
export function refuseGated({ app }: Graph, actor: Actor, feature: Feature) {
  const can = profileRules(manifest, app, actor).capabilities[feature]
  if (typeof can === 'object') throw new NetworkError('Facebook', { kind: 'permanent', why: 'permission' }, can.gated)
}
