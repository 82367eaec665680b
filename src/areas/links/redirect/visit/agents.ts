import { aboutOf } from '../../click/click-bundle.ts'
import { classByUserAgent } from './click-class.ts'

/** What is known of a user agent. */
export interface Agent {
  /** A short name for it, as long as it is remembered. */
  readonly name: string
  readonly isHuman: boolean
  /** What is written of its clicks. */
  readonly about: string
}

const remembered = 20_000

/** Classes user agents, each once: there are few, and every request has one. */
export function openAgents(): (userAgent: string) => Agent {
  let recent = new Map<string, Agent>()
  let older = new Map<string, Agent>()
  let met = 0
  return (userAgent) => {
    const known = recent.get(userAgent)
    if (known) return known
    if (recent.size >= remembered) {
      older = recent
      recent = new Map()
    }
    const agent = older.get(userAgent) ?? meet(userAgent, (met++).toString(36))
    recent.set(userAgent, agent)
    return agent
  }
}

function meet(userAgent: string, name: string): Agent {
  const classed = classByUserAgent(userAgent)
  return { name, isHuman: classed.class === 'human', about: aboutOf({ ...classed, userAgent }) }
}
