import { emitInner } from '#areas/events/event.ts'
import type { Visitor } from '#kernel/caller.ts'
import { type Actor, change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { checkPasswords, checksNeeded, hashInTurn, saltFor } from '#kernel/secrets/password.ts'
import { recordRefusedSignIn, signInOperations } from '../audit.ts'
import { endOtherAccess, endSignIns } from '../user/user.ts'
import { lookUpEmail, notifyUsersChanged } from '../user/user-email.ts'
import { countSignIn, networkOf, rememberNetwork } from './attempts.ts'
import { type Begun, begin, ownerOfLink, type Purpose, useLink } from './session.ts'
import { mailNewNetwork, mailNewPassword } from './session-mail.ts'

interface Credentials {
  email: string
  password: string
  /** Required if email and password match several accounts. */
  account?: string | undefined
  stays?: boolean | undefined
}

/** A session, or the accounts to choose from. */
type SignedIn = { begun: Begun; accounts?: undefined } | { begun?: undefined; accounts: { id: string; name: string }[] }

/** Signs in by email and password. Without a valid password the response reveals nothing, and its timing does not depend on the user. */
export async function signIn(
  installation: Installation,
  visitor: Visitor,
  { email, password, account, stays = false }: Credentials,
): Promise<SignedIn> {
  const { database, clock } = installation
  const now = clock.now()
  const shared = database.forUnauthenticated('')
  const { address, users } = await lookUpEmail(shared, email, account)
  const attempt = await countSignIn(shared, { email: address, users }, visitor.address, now)
  const tried = attempt.allowed.length > 0 ? attempt.allowed : unknownUser
  const found = await Promise.all(tried.map((user) => candidateOf(installation, user)))
  const candidates = found.filter((candidate) => candidate !== undefined)
  const matching = await matchingOf(candidates, password, visitor)
  if (matching.length === 0) {
    recordRefused(installation, candidates, visitor, now)
    throw wrong()
  }
  await attempt.matched(matching.map(({ user }) => user))
  const chosen = onePerAccount(matching, email)
  const [only] = chosen
  if (!only || chosen.length > 1)
    return { accounts: chosen.map(({ user, accountName: name }) => ({ id: user.account, name })) }
  const { user, passwordHash } = only
  const { account: accountId, userId } = user
  const better = await betterHash(installation, candidates, only, password, visitor)
  const actor = actorOf({ accountId, userId }, now, visitor, 'password', signInOperations.signIn)
  const begun = await change(installation, actor, async (context) => {
    const held = (await lockUser(context, userId))?.passwordHash
    if (!held || (held !== passwordHash && held !== better)) throw wrong()
    if (better && held !== better) await writeHash(context, userId, better)
    if (!attempt.isKnown(user)) await mailNewNetwork(context, userId)
    return begin(context, { userId, stays })
  })
  // After the commit: a network becomes known only once the email about it is certain to be sent.
  await rememberNetwork(shared, user, visitor.address, now)
  return { begun }
}

/** The actor of a sign-in, with the method and the operation for the audit log. */
const actorOf = (
  { accountId, userId }: { accountId: string; userId: string },
  now: Date,
  visitor: Visitor,
  by: 'password' | 'link',
  operation: string,
): Actor => ({
  ...systemActor(accountId, now),
  userId,
  visitor,
  via: { by, id: '' },
  auditEntry: { operation, fields: [] },
})

/** Records the failure for users whose password did not match. Not awaited: the response time must not reveal whether a user exists. */
function recordRefused({ database }: Installation, candidates: Candidate[], { address }: Visitor, now: Date) {
  for (const { user } of candidates) {
    const { account: accountId, userId } = user
    recordRefusedSignIn(database.forUnauthenticated(accountId), { accountId, userId, address, now }).catch(() => {})
  }
}

/** Looked up if the email address is unknown, so that the response takes as long. */
const unknownUser = [{ account: '001nobody000000', userId: '00Anobody000000' }]

interface Candidate {
  user: { account: string; userId: string }
  email: string
  accountName: string
  passwordHash: string
}

async function candidateOf({ database }: Installation, user: Candidate['user']): Promise<Candidate | undefined> {
  const found = await database
    .forUnauthenticated(user.account)
    .selectFrom('users as u')
    .innerJoin('accounts as a', (join) => join.on('a.id', '=', user.account))
    .select(['u.email', 'u.passwordHash', 'a.name as accountName'])
    .where('u.accountId', '=', user.account)
    .where('u.id', '=', user.userId)
    .where('u.status', '=', 'active')
    .where('a.status', '=', 'active')
    .executeTakeFirst()
  return found?.passwordHash ? { ...found, user, passwordHash: found.passwordHash } : undefined
}

async function matchingOf(candidates: Candidate[], password: string, { address }: Visitor): Promise<Candidate[]> {
  const hashes = candidates.map(({ passwordHash }) => passwordHash)
  const matching = await checkPasswords(hashes, password, networkOf(address))
  return candidates.filter(({ passwordHash }) => matching.has(passwordHash))
}

/** Two users of one account may have email addresses that differ only in spelling: an exact match is preferred. */
function onePerAccount(matching: readonly Candidate[], typed: string): Candidate[] {
  const exactLast = matching.toSorted((one, other) => Number(one.email === typed) - Number(other.email === typed))
  return [...new Map(exactLast.map((candidate) => [candidate.user.account, candidate])).values()]
}

/** If the candidates' hashes have several salts: rehashes the password with the shared salt, so that the next sign-in computes one hash. */
async function betterHash(
  { keyring }: Installation,
  candidates: readonly Candidate[],
  { email }: Candidate,
  password: string,
  { address }: Visitor,
): Promise<string | undefined> {
  if (checksNeeded(candidates.map(({ passwordHash }) => passwordHash)) === 1) return undefined
  return hashInTurn(password, saltFor(keyring, email), networkOf(address))
}

/**
 * Concurrent changes of the user wait, and then end this session together with the others. Lock order: the user before links and sessions.
 */
const lockUser = ({ db, accountId }: Context, userId: string) =>
  db
    .selectFrom('users')
    .select('passwordHash')
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .where('status', '=', 'active')
    .modifyEnd(lockRows('users', 'no key update'))
    .executeTakeFirst()

const wrong = () => new Refusal('unauthenticated', 'The email address or the password is wrong.')

interface Choice {
  token: string
  password: string
  firstName?: string | undefined
  lastName?: string | undefined
  /** With a reset: whether API keys are revoked too; true by default. */
  revokeKeys?: boolean | undefined
}

/** Sets the password of a user with an emailed link and signs them in. */
export async function choosePassword(
  installation: Installation,
  visitor: Visitor,
  purpose: 'invitation' | 'reset',
  { token, password, revokeKeys = true, ...names }: Choice,
  operation: string = signInOperations[purpose],
): Promise<Begun> {
  const { database, clock, keyring } = installation
  const now = clock.now()
  const owner = await ownerOfLink(database, token, purpose, now)
  const { accountId, userId, email } = owner
  const passwordHash = await hashInTurn(password, saltFor(keyring, email), networkOf(visitor.address))
  const actor = actorOf(owner, now, visitor, 'link', operation)
  const begun = await change(installation, actor, async (context) => {
    context.about({ id: userId })
    await requireUser(context, userId)
    await useLink(context, token, purpose)
    await writeUser(context, userId, { ...given(names), passwordHash })
    await endSignIns(context, userId)
    if (purpose === 'reset') {
      await endOtherAccess(context, userId, { revokeKeys })
      await mailNewPassword(context, userId, 'link')
    }
    await emitInner(context, 'cameByLink', { userId })
    return begin(context, { userId, stays: false })
  })
  await rememberNetwork(database.forUnauthenticated(''), { account: accountId, userId }, visitor.address, now)
  return begun
}

/** Signs in with the link that the demo prints. */
export const enter = (installation: Installation, visitor: Visitor, token: string): Promise<Begun> =>
  enterByLink(installation, visitor, { token, purpose: 'entry', operation: signInOperations.signIn })

/** Signs in as a demo user without a password. */
export const enterAs = (
  installation: Installation,
  visitor: Visitor,
  who: { accountId: string; userId: string },
): Promise<Begun> => {
  const actor = actorOf(who, installation.clock.now(), visitor, 'link', signInOperations.signIn)
  return change(installation, actor, async (context) => {
    await requireUser(context, who.userId)
    return begin(context, { userId: who.userId, stays: false })
  })
}

interface Entering {
  token: string
  purpose: Exclude<Purpose, 'reset'>
  operation: string
  firstName?: string | undefined
  lastName?: string | undefined
  /** Refuses users for whom the link alone is not sufficient. */
  allow?: (context: Context, userId: string) => Promise<unknown>
}

/** Signs in by a link alone. */
export async function enterByLink(
  installation: Installation,
  visitor: Visitor,
  { token, purpose, operation, allow, ...names }: Entering,
): Promise<Begun> {
  const now = installation.clock.now()
  const owner = await ownerOfLink(installation.database, token, purpose, now)
  const { userId } = owner
  return change(installation, actorOf(owner, now, visitor, 'link', operation), async (context) => {
    if (purpose !== 'entry') context.about({ id: userId })
    await requireUser(context, userId)
    await allow?.(context, userId)
    await useLink(context, token, purpose)
    if (Object.keys(given(names)).length > 0) await writeUser(context, userId, given(names))
    if (purpose !== 'entry') await emitInner(context, 'cameByLink', { userId })
    return begin(context, { userId, stays: false })
  })
}

interface Proof {
  accountId: string
  /** An existing user, or the one that `admit` creates. */
  userId: string
  email: string
  operation: string
  password?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  /** Consumes the proof, creates the user if needed and locks it, in the transaction that creates the session. */
  admit: (context: Context) => Promise<unknown>
}

/** Signs in a user whose email address was verified by another area; sets a password if one is given. */
export async function signInWithEmailProof(
  installation: Installation,
  visitor: Visitor,
  { accountId, userId, email, operation, password, firstName, lastName, admit }: Proof,
): Promise<Begun> {
  const { database, clock, keyring } = installation
  const now = clock.now()
  const passwordHash =
    password === undefined ? undefined : await hashInTurn(password, saltFor(keyring, email), networkOf(visitor.address))
  const actor = actorOf({ accountId, userId }, now, visitor, 'link', operation)
  const begun = await change(installation, actor, async (context) => {
    context.about({ id: userId })
    await admit(context)
    await requireUser(context, userId)
    const changes = { ...given({ firstName, lastName }), ...(passwordHash && { passwordHash }) }
    if (Object.keys(changes).length > 0) await writeUser(context, userId, changes)
    if (passwordHash) await endSignIns(context, userId)
    await emitInner(context, 'cameByLink', { userId })
    return begin(context, { userId, stays: false })
  })
  await rememberNetwork(database.forUnauthenticated(''), { account: accountId, userId }, visitor.address, now)
  return begun
}

/** Makes a change as a user who verified their email address, without creating a session. */
export const actWithEmailProof = (
  installation: Installation,
  visitor: Visitor,
  { accountId, userId, operation, admit }: Pick<Proof, 'accountId' | 'userId' | 'operation' | 'admit'>,
) =>
  change(
    installation,
    actorOf({ accountId, userId }, installation.clock.now(), visitor, 'link', operation),
    async (context) => {
      context.about({ id: userId })
      await admit(context)
      await emitInner(context, 'cameByLink', { userId })
    },
  )

/** The names given by the user; empty ones stay unchanged. */
const given = (names: { [name in 'firstName' | 'lastName']?: string | undefined }) =>
  Object.fromEntries(Object.entries(names).filter(([, name]) => name))

function writeUser(context: Context, userId: string, values: { [column: string]: string }) {
  const { db, accountId, now } = context
  notifyUsersChanged(context)
  return db
    .updateTable('users')
    .set({ ...values, modified: now })
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .execute()
}

/** The same password with another salt: not a visible change, so `modified` stays. */
const writeHash = ({ db, accountId }: Context, userId: string, passwordHash: string) =>
  db.updateTable('users').set({ passwordHash }).where('accountId', '=', accountId).where('id', '=', userId).execute()

async function requireUser(context: Context, userId: string) {
  const user = await lockUser(context, userId)
  if (!user) throw invalid('The user was switched off meanwhile. Ask an admin of the account.')
  return user
}
