import type { Visitor } from '#kernel/caller.ts'
import { change } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { conflict, forbidden, invalid } from '#kernel/errors.ts'
import type { Connector, Grant } from '#networks/connector/connector.ts'
import { NetworkError } from '#networks/connector/connector.ts'
import { isConnected, manifestOf, type Network, type NetworkName } from '#networks/manifests.ts'
import type { ProfileInstallation } from '../access/profile-row.ts'
import type { Attempt } from './attempt.ts'
import { makeOffer, takeOffer } from './attempt.ts'
import { keepProfile, sameProfile } from './connected-profile.ts'

/** A profile that is connected now, with its id here. */
export type Kept = Grant & { id: string }

/** What came of a login: the profiles that are connected now, and what else it opened, to choose from. */
export interface Connected {
  kept: Kept[]
  offer?: { id: string; grants: Grant[] }
}

/** The connector of a network, or a sentence that says why there is none. */
export function connectorFor({ networks }: ProfileInstallation, network: NetworkName): Connector {
  const connector = networks.connector(network)
  if (connector) return connector
  if (!isConnected(network)) throw invalid(`Profiles of ${network} cannot be connected.`)
  throw invalid(withoutApp(network))
}

export const withoutApp = (network: Network) =>
  `This installation has no app for ${network}. Its operator sets ${appSettings(network).join(' and ')}.`

/** What an operator sets once an app is registered with the network. */
export function appSettings(network: Network): string[] {
  const name = manifestOf(network).code.toUpperCase()
  return [`CHORUS_${name}_CLIENT_ID`, `CHORUS_${name}_CLIENT_SECRET`]
}

/** Exchanges the code of a login for the profiles it opens, and keeps those it was about. */
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
    // Those that are connected already get the new secret along the way.
    const kept = await keepAll(context, [...grants.filter(({ remoteId }) => known.has(remoteId)), ...chosen], attempt)
    if (!mayAsk) return { kept }
    return { kept, offer: { id: await makeOffer(context, attempt, fresh), grants: fresh } }
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
    return { kept: await keepChosen(context, offer, chosen, attempt) }
  })
}

/** Of what a login had opened, keeps what was chosen. */
export async function keepChosen(
  context: Context,
  offer: string,
  chosen: readonly string[],
  { boardOnly }: Pick<Attempt, 'boardOnly'>,
): Promise<Kept[]> {
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
  return { kept: await keepAll(context, again, attempt) }
}

/** What may be connected of this, and what of it is connected already, with its id. Refuses where somebody else has all of it. */
async function usableOf(context: Context, { boardOnly, userId, network }: Attempt, opened: readonly Grant[]) {
  const known = new Map<string, string>()
  const grants: Grant[] = []
  for (const grant of opened) {
    const profile = await sameProfile(context, grant).executeTakeFirst()
    const isThere = profile && profile.deleted === null
    // The account's own are for its users, an advocate's for that advocate alone.
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

/** Keeps several: people before the pages they manage, which name them. */
export async function keepAll(
  context: Context,
  grants: readonly Grant[],
  { boardOnly }: Pick<Attempt, 'boardOnly'> = { boardOnly: false },
): Promise<Kept[]> {
  const inOrder = grants.toSorted((one, other) => Number(one.kind === 'page') - Number(other.kind === 'page'))
  const kept: Kept[] = []
  for (const grant of inOrder) {
    const id = await keepProfile(context, grant, boardOnly)
    context.about({ id, count: inOrder.length })
    kept.push({ ...grant, id })
  }
  return kept
}

async function openGrants(connector: Connector, login: { code: string; redirectUri: string; verifier: string }) {
  try {
    return await connector.exchangeCode(login)
  } catch (error) {
    if (error instanceof NetworkError) throw invalid(`The login was not accepted. ${error.message}`)
    throw error
  }
}

/** In the name of who began the login: still an admin, or still somebody here where it is their own profile. */
const asUser = <Result>(
  installation: ProfileInstallation,
  { accountId, userId, via, visitor, operation, boardOnly }: Attempt & { visitor: Visitor; operation: string },
  work: (context: Context) => Promise<Result>,
) => {
  const role = boardOnly ? ('advocate' as const) : ('admin' as const)
  const who = { accountId, userId, role, via, visitor }
  return change(
    installation,
    { ...who, now: installation.clock.now(), auditEntry: { operation, fields: [] } },
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
