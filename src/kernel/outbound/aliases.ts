import { Resolver } from 'node:dns/promises'
import { addressRule } from './addresses.ts'
import { OutboundFailure } from './failure.ts'

/** What a name stands for. */
export interface NameFacts {
  /** Where its CNAME leads, and on from there, in lower case; empty where it has none. */
  aliases: string[]
  /** Whether it has addresses in the end. */
  exists: boolean
  /** Whether one of them is no public one: then nothing about the name may be told to whoever asked. */
  isInternal: boolean
}

const isPublic = addressRule([])

const mostHops = 8
/** Answers that say there is nothing, as opposed to none at all. */
const nothing = new Set(['ENODATA', 'ENOTFOUND'])

/** Follows the aliases of a name as the name servers (the system's unless told) give them. */
export async function followAliases(name: string, server?: string): Promise<NameFacts> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (server) resolver.setServers([server])
  const aliases: string[] = []
  let at = name
  while (aliases.length < mostHops) {
    const [next] = await asked(name, () => resolver.resolveCname(at))
    const alias = next?.toLowerCase().replace(/\.$/, '')
    // One that leads in circles leads nowhere new.
    if (!alias || aliases.includes(alias)) break
    aliases.push(alias)
    at = alias
  }
  const addresses = [
    ...(await asked(name, () => resolver.resolve4(at))),
    ...(await asked(name, () => resolver.resolve6(at))),
  ]
  const exists = addresses.length > 0
  return { aliases, exists, isInternal: addresses.some((address) => !isPublic(address)) }
}

async function asked(name: string, ask: () => Promise<string[]>): Promise<string[]> {
  try {
    return await ask()
  } catch (error) {
    const code = String((error as { code?: unknown }).code)
    if (nothing.has(code)) return []
    const why = code === 'ETIMEOUT' ? 'did not answer in time' : 'could not answer'
    throw new OutboundFailure('dns', `The name servers that know ${name} ${why} (${code}).`, error)
  }
}
