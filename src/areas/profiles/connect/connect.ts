import type { Visitor } from '#kernel/caller.ts'
import { change } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, forbidden, invalid } from '#kernel/errors.ts'
import type { Connector, Grant } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { isConnected, manifestOf, type Network, type NetworkName } from '#networks/manifests.ts'
import type { ProfileInstallation } from '../access/profile-row.ts'
import { type Attempt, makeOffer, takeOffer } from './attempt.ts'
import { keepProfile, sameProfile } from './connected-profile.ts'

/** A connected profile with its id in Chorus. */
export type ConnectedGrant = Grant & { id: string }

/** The result of a login: the profiles that are connected now, and the others to choose from. */
export interface Connected {
  connected: ConnectedGrant[]
  offer?: { id: string; grants: Grant[] }
}

/** The connector of a network; refuses with the reason if there is none. */
export function connectorFor({ networks }: ProfileInstallation, network: NetworkName): Connector {
  const connector = networks.connector(network)
  if (connector) return connector
  if (!isConnected(network)) throw invalid(`Profiles of ${network} cannot be connected.`)
  throw invalid(withoutApp(network))
}

export const withoutApp = (network: Network) =>
  `This installation has no app for ${network}. Its operator sets ${appSettings(network).join(' and ')}.`

/** The settings an operator has to set after registering an app with the network. */
export function appSettings(network: Network): string[] {
  const name = manifestOf(network).code.toUpperCase()
  return [`CHORUS_${name}_CLIENT_ID`, `CHORUS_${name}_CLIENT_SECRET`]
}

/** Exchanges the code of a login for profiles, and stores the requested ones. */
export async function finishLogin(
  installation: ProfileInstallation,
  visitor: Visitor,
  attempt: Attempt,
  code: string,
): Promise<Connected> {
  const { network, redirectUri, verifier } = attempt
  const opened = await openGrants(connectorFor(installation, network), { code, redirectUri, verifier })
  if (opened.length === 0) throw invalid(`The login opened no ${network} profile that can be used here.`)
  const operation = 'GET /app/connect/{network}/callback'
  return asUser(installation, { ...attempt, visitor, operation }, async (context) => {
    const { grants, known } = await usableOf(context, attempt, opened)
    if (attempt.credentialId) return reconnect(context, attempt, grants, known)
    const fresh = grants.filter((grant) => !known.has(grant.remoteId))
    const wanted = ({ remoteId }: Grant) => attempt.profiles.includes('all') || attempt.profiles.includes(remoteId)
    const mayAsk = attempt.profiles.length === 0 && (fresh.length > 1 || (fresh.length > 0 && known.size > 0))
    const chosen = mayAsk ? [] : attempt.profiles.length > 0 ? fresh.filter(wanted) : fresh
    // Profiles that are already connected get the new secret too.
    const connected = await keepAll(
      context,
      [...grants.filter(({ remoteId }) => known.has(remoteId)), ...chosen],
      attempt,
    )
    if (!mayAsk) return { connected }
    return { connected, offer: { id: await makeOffer(context, attempt, fresh), grants: fresh } }
  })
}

/** Stores the profiles chosen from an offer. */
export function finishChoice(
  installation: ProfileInstallation,
  visitor: Visitor,
  attempt: Attempt,
  offer: string,
  chosen: readonly string[],
) {
  const operation = 'POST /app/connect/{network}/choice'
  return asUser(installation, { ...attempt, visitor, operation }, async (context) => {
    return { connected: await keepChosen(context, offer, chosen, attempt) }
  })
}

/** Stores the chosen profiles of a login. */
export async function keepChosen(
  context: Context,
  offer: string,
  chosen: readonly string[],
  { boardOnly }: Pick<Attempt, 'boardOnly'>,
): Promise<ConnectedGrant[]> {
  const grants = await takeOffer(context, offer, boardOnly)
  return keepAll(
    context,
    grants.filter(({ remoteId }) => chosen.includes(remoteId)),
    { boardOnly },
  )
}

async function reconnect(context: Context, attempt: Attempt, grants: Grant[], known: Map<string, string>) {
  const again = grants.filter(({ remoteId }) => known.has(remoteId))
  if (!again.some(({ remoteId }) => known.get(remoteId) === attempt.credentialId)) {
    throw invalid('This login does not manage the profile. Log in as somebody who does.')
  }
  return { connected: await keepAll(context, again, attempt) }
}

/** The profiles that may be connected, and the ids of those already connected. Refuses if all of them belong to someone else. */
async function usableOf(context: Context, { boardOnly, userId, network }: Attempt, opened: readonly Grant[]) {
  const known = new Map<string, string>()
  const grants: Grant[] = []
  for (const grant of opened) {
    const profile = await sameProfile(context, grant).executeTakeFirst()
    const isThere = profile && profile.deleted === null
    // Profiles of the account belong to all its users, an advocate's only to that advocate.
    const isTheirs = !isThere || (profile.boardOnly === boardOnly && (!boardOnly || profile.createdBy === userId))
    if (!isTheirs) continue
    grants.push(grant)
    if (isThere) known.set(grant.remoteId, profile.id)
  }
  if (grants.length === 0)
    throw conflict(
      boardOnly
        ? `This ${network} profile is connected here already, by the account or by somebody else. Ask an admin to remove it first.`
        : `This ${network} profile is connected by an advocate, for their shares alone. They must remove it first.`,
    )
  return { grants, known }
}

/** Stores several profiles: personal ones before the pages they manage, which refer to them. */
export async function keepAll(
  context: Context,
  grants: readonly Grant[],
  { boardOnly }: Pick<Attempt, 'boardOnly'> = { boardOnly: false },
): Promise<ConnectedGrant[]> {
  const inOrder = grants.toSorted((one, other) => Number(one.kind === 'page') - Number(other.kind === 'page'))
  const connected: ConnectedGrant[] = []
  for (const grant of inOrder) {
    const id = await keepProfile(context, grant, boardOnly)
    context.about({ id, count: inOrder.length })
    connected.push({ ...grant, id })
  }
  return connected
}

async function openGrants(connector: Connector, login: { code: string; redirectUri: string; verifier: string }) {
  try {
    return await connector.exchangeCode(login)
  } catch (error) {
    if (error instanceof NetworkError) throw invalid(`The login was not accepted. ${error.message}`)
    throw error
  }
}

/** Acts as the user who began the login, who must still be an admin, or an active user for their own profile. */
const asUser = <Result>(
  installation: ProfileInstallation,
  { accountId, userId, via, visitor, operation, boardOnly }: Attempt & { visitor: Visitor; operation: string },
  work: (context: Context) => Promise<Result>,
) => {
  const role = boardOnly ? ('advocate' as const) : ('admin' as const)
  const caller = { accountId, userId, role, via, visitor }
  return change(
    installation,
    { ...caller, now: installation.clock.now(), auditEntry: { operation, fields: [] } },
    async (context) => {
      const { db } = context
      const user = await db
        .selectFrom('users')
        .select('id')
        .where('accountId', '=', accountId)
        .where('id', '=', userId)
        .where('status', '=', 'active')
        .$if(!boardOnly, (users) => users.where('role', '=', 'admin'))
        .executeTakeFirst()
      if (!user) throw forbidden('Only an admin may connect profiles.')
      return work(context)
    },
  )
}
