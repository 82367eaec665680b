import { Resolver, lookup as systemLookup } from 'node:dns/promises'
import { Deadline } from './deadline.ts'
import { limiter } from './limiter.ts'

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

export type Lookup = (hostname: string) => Promise<ResolvedAddress[]>

/** Asks the name servers (the system's unless told); what they do not know may stand in the hosts file. */
export async function resolveName(hostname: string, servers?: readonly string[]): Promise<ResolvedAddress[]> {
  // The system's own resolver occupies a thread for every slow name, so strangers' names go past it.
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  if (servers) resolver.setServers(servers)
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const found = [...answers(four, 4), ...answers(six, 6)]
  if (found.length > 0) return found
  const failure = four.status === 'rejected' ? four.reason : undefined
  if (failure?.code === 'ETIMEOUT') throw failure
  return fromSystem(hostname)
}

const answers = (result: PromiseSettledResult<string[]>, family: 4 | 6): ResolvedAddress[] =>
  result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []

// Of the four threads two stay free for files and passwords.
const systemTurns = limiter(2)

async function fromSystem(hostname: string): Promise<ResolvedAddress[]> {
  const deadline = new Deadline(5_000, hostname)
  await systemTurns.take(deadline)
  try {
    const found = await systemLookup(hostname, { all: true })
    return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
  } finally {
    deadline.clear()
    systemTurns.giveBack()
  }
}
