import { isIP } from 'node:net'
import { Refusal } from '#kernel/errors.ts'
import type { NameFacts } from '#kernel/outbound/addresses.ts'
import { OutboundFailure } from '#kernel/outbound/failure.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'

interface Asking {
  outbound: Outbound
  /** What short links start with. */
  shortUrl: string
}

/** Why requests to the domain do not come here, as a sentence; nothing when they do. Throws when the name servers do not tell. */
export async function pointingProblem({ outbound, shortUrl }: Asking, domain: string): Promise<string | undefined> {
  const host = new URL(shortUrl).hostname
  if (host === 'localhost' || isIP(host.replace(/^\[|\]$/g, '')) > 0)
    return `Short links of this installation start with ${shortUrl}, and no domain can point at ${host}. Its operator has to give them a host with a name first (CHORUS_SHORT_URL).`
  const facts = await factsOf(outbound, domain)
  if (facts.aliases.includes(host)) return undefined
  return `${domain} must have a CNAME record that points at ${host}; ${foundInstead(facts)} Correct it where the domain is managed; it may take a while until everybody sees the change.`
}

/** Names that everybody can look up, and no addresses: our name servers may know more than whoever asks is to learn. */
function foundInstead({ aliases, exists, isInternal }: NameFacts): string {
  if (isInternal) return nothingFound
  if (aliases.length > 0) return `it points at ${aliases.join(', then at ')}.`
  return exists ? 'it has none.' : nothingFound
}

const nothingFound = 'no record was found.'

async function factsOf(outbound: Outbound, domain: string) {
  try {
    return await outbound.aliasesOf(domain)
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const sentence = `${error.message} Nothing was changed; try again in a minute.`
    throw new Refusal('unavailable', sentence, { retryAfter: 60, cause: error })
  }
}
