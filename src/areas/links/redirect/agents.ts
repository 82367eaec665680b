import { type Classed, classByUserAgent } from './click-class.ts'

const remembered = 20_000

/** Classes user agents, each once: there are few, and every request has one. */
export function openAgents(): (userAgent: string) => Classed {
  let recent = new Map<string, Classed>()
  let older = new Map<string, Classed>()
  return (userAgent) => {
    const known = recent.get(userAgent)
    if (known) return known
    if (recent.size >= remembered) {
      older = recent
      recent = new Map()
    }
    const classed = older.get(userAgent) ?? classByUserAgent(userAgent)
    recent.set(userAgent, classed)
    return classed
  }
}
