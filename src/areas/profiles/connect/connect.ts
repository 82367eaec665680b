import type { Visitor } from '#kernel/caller.ts'
import { change } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { forbidden, invalid } from '#kernel/errors.ts'
import type { Grant } from '#networks/connector/actor.ts'
import type { Connector } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/fault.ts'
import { isConnected, manifestOf, type NetworkName } from '#networks/manifests.ts'
import type { ProfileInstallation } from '../access/profile-row.ts'
import type { Attempt } from './attempt.ts'
import { keepProfile, sameProfile } from './connected-profile.ts'
import { makeOffer, takeOffer } from './offer.ts'

/** What came of a login: the profiles that are connected now, and what else it opened, to choose from. */
export interface Connected {
  kept: Grant[]
  offer?: { id: string; grants: Grant[] }
}

/** The connector of a network, or a sentence that says why there is none. */
export function connectorFor({ networks }: ProfileInstallation, network: NetworkName): Connector {
  const connector = networks.connector(network)
  if (connector) return connector
  if (!isConnected(network)) throw invalid(`Profiles of ${network} cannot be connected.`)
  const name = manifestOf(network).code.toUpperCase()
  throw invalid(
    `This installation has no app for ${network}. Its operator sets CHORUS_${name}_CLIENT_ID and CHORUS_${name}_CLIENT_SECRET.`,
  )
}

/** Exchanges the code of a login for the profiles it opens, and keeps those it was about. */
export async function finishLogin(
  installation: ProfileInstallation,
  visitor: Visitor,
  attempt: Attempt,
  code: string,
): Promise<Connected> {
  const { network, redirectUri, verifier } = attempt
  const grants = await openGrants(connectorFor(installation, network), { code, redirectUri, verifier })
  if (grants.length === 0) throw invalid(`The login opened no ${network} profile that can be used here.`)
  const operation = 'GET /app/connect/{network}/callback'
  return asUser(installation, { ...attempt, visitor, operation }, async (context) => {
    const known = await connectedOf(context, grants)
    if (attempt.credentialId) return reconnect(context, attempt, grants, known)
    const fresh = grants.filter((grant) => !known.has(grant.remoteId))
    const wanted = ({ remoteId }: Grant) => attempt.profiles.includes('all') || attempt.profiles.includes(remoteId)
    const mayAsk = attempt.profiles.length === 0 && (fresh.length > 1 || (fresh.length > 0 && known.size > 0))
    const chosen = mayAsk ? [] : attempt.profiles.length > 0 ? fresh.filter(wanted) : fresh
    // Those that are connected already get the new secret along the way.
    const kept = await keepAll(context, [...grants.filter(({ remoteId }) => known.has(remoteId)), ...chosen])
    if (!mayAsk) return { kept }
    return { kept, offer: { id: await makeOffer(context, network, fresh), grants: fresh } }
  })
}

/** Keeps what was chosen from what a login had opened. */
export function finishChoice(
  installation: ProfileInstallation,
  visitor: Visitor,
  attempt: Attempt,
  offer: string,
  chosen: readonly string[],
) {
  const operation = 'POST /app/connect/{network}/choice'
  return asUser(installation, { ...attempt, visitor, operation }, async (context) => {
    const grants = await takeOffer(context, offer)
    return {
      kept: await keepAll(
        context,
        grants.filter(({ remoteId }) => chosen.includes(remoteId)),
      ),
    }
  })
}

async function reconnect(context: Context, { credentialId }: Attempt, grants: Grant[], known: Map<string, string>) {
  const again = grants.filter(({ remoteId }) => known.has(remoteId))
  if (!again.some(({ remoteId }) => known.get(remoteId) === credentialId)) {
    throw invalid('This login does not manage the profile. Log in as somebody who does.')
  }
  return { kept: await keepAll(context, again) }
}

/** The profiles among these that the account has, with their ids. */
async function connectedOf(context: Context, grants: readonly Grant[]): Promise<Map<string, string>> {
  const known = new Map<string, string>()
  for (const grant of grants) {
    const profile = await sameProfile(context, grant).executeTakeFirst()
    if (profile && profile.deleted === null) known.set(grant.remoteId, profile.id)
  }
  return known
}

/** Keeps several: people before the pages they manage, which name them. */
export async function keepAll(context: Context, grants: readonly Grant[]): Promise<Grant[]> {
  const inOrder = grants.toSorted((one, other) => Number(one.kind === 'page') - Number(other.kind === 'page'))
  for (const grant of inOrder) context.about({ id: await keepProfile(context, grant), count: inOrder.length })
  return inOrder
}

async function openGrants(connector: Connector, login: { code: string; redirectUri: string; verifier: string }) {
  try {
    return await connector.exchangeCode(login)
  } catch (error) {
    if (error instanceof NetworkError) throw invalid(`The login was not accepted. ${error.message}`)
    throw error
  }
}

/** In the name of who began the login, who must still be an admin. */
const asUser = <Result>(
  installation: ProfileInstallation,
  { accountId, userId, via, visitor, operation }: Attempt & { visitor: Visitor; operation: string },
  work: (context: Context) => Promise<Result>,
) => {
  const who = { accountId, userId, role: 'admin', via, visitor } as const
  return change(
    installation,
    { ...who, now: installation.clock.now(), deed: { operation, fields: [] } },
    async (context) => {
      const { db } = context
      const user = await db
        .selectFrom('users')
        .select('id')
        .where('accountId', '=', accountId)
        .where('id', '=', userId)
        .where('status', '=', 'active')
        .where('role', '=', 'admin')
        .executeTakeFirst()
      if (!user) throw forbidden('Only an admin may connect profiles.')
      return work(context)
    },
  )
}
