import { emitInner } from '#areas/events/event.ts'
import type { Visitor } from '#kernel/caller.ts'
import { type Actor, change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { lockRows } from '#kernel/database/locks.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { checkPasswords, checksNeeded, hashInTurn, saltFor } from '#kernel/secrets/password.ts'
import { recordRefusedSignIn, signInOperations } from '../audit/audit.ts'
import { endOtherAccess, endSignIns } from '../user/user.ts'
import { lookUpEmail, notifyUsersChanged } from '../user/user-email.ts'
import { countSignIn, knowPlace, networkOf } from './brake.ts'
import { mailNewPassword, mailNewPlace } from './security-mail.ts'
import { type Begun, begin, ownerOfLink, type Purpose, useLink } from './session.ts'

interface Credentials {
  email: string
  password: string
  /** Where email and password fit several accounts. */
  account?: string | undefined
  stays?: boolean | undefined
}

/** A session, or the accounts to choose from. */
export type SignedIn =
  | { begun: Begun; accounts?: undefined }
  | { begun?: undefined; accounts: { id: string; name: string }[] }

/** Signs somebody in by email and password. Who has no right password learns nothing, not even how long it took for whom. */
export async function signIn(
  installation: Installation,
  visitor: Visitor,
  { email, password, account, stays = false }: Credentials,
): Promise<SignedIn> {
  const { database, clock } = installation
  const now = clock.now()
  const strangers = database.forAnybody('')
  const { address, users } = await lookUpEmail(strangers, email, account)
  const trying = await countSignIn(strangers, { email: address, users }, visitor.address, now)
  const tried = trying.allowed.length > 0 ? trying.allowed : nobody
  const looked = await Promise.all(tried.map((user) => candidateOf(installation, user)))
  const candidates = looked.filter((candidate) => candidate !== undefined)
  const fitting = await fittingOf(candidates, password, visitor)
  if (fitting.length === 0) {
    noteRefused(installation, candidates, visitor, now)
    throw wrong()
  }
  await trying.fitted(fitting.map(({ user }) => user))
  const chosen = onePerAccount(fitting, email)
  const [only] = chosen
  if (!only || chosen.length > 1)
    return { accounts: chosen.map(({ user, accountName: name }) => ({ id: user.account, name })) }
  const { user, passwordHash } = only
  const { account: accountId, userId } = user
  const better = await betterHash(installation, candidates, only, password, visitor)
  const actor = newcomer({ accountId, userId }, now, visitor, 'password', signInOperations.signIn)
  const begun = await change(installation, actor, async (context) => {
    const held = (await holdUser(context, userId))?.passwordHash
    if (!held || (held !== passwordHash && held !== better)) throw wrong()
    if (better && held !== better) await writeHash(context, userId, better)
    if (!trying.isKnown(user)) await mailNewPlace(context, userId)
    return begin(context, { userId, stays })
  })
  // Afterwards: a place counts as known once its owner is sure to be told of it.
  await knowPlace(strangers, user, visitor.address, now)
  return { begun }
}

/** Whoever gets in, by what, and as what the audit log tells it. */
const newcomer = (
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

/** Tells those whose password it was not. Nobody waits for this: who guesses must not see by the time it takes that there is somebody. */
function noteRefused({ database }: Installation, candidates: Candidate[], { address }: Visitor, now: Date) {
  for (const { user } of candidates) {
    const { account: accountId, userId } = user
    recordRefusedSignIn(database.forAnybody(accountId), { accountId, userId, address, now }).catch(() => {})
  }
}

/** Whom to look for where nobody has the address: it takes as long. */
const nobody = [{ account: '001nobody000000', userId: '00Anobody000000' }]

interface Candidate {
  user: { account: string; userId: string }
  email: string
  accountName: string
  passwordHash: string
}

async function candidateOf({ database }: Installation, user: Candidate['user']): Promise<Candidate | undefined> {
  const found = await database
    .forAnybody(user.account)
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

async function fittingOf(candidates: Candidate[], password: string, { address }: Visitor): Promise<Candidate[]> {
  const hashes = candidates.map(({ passwordHash }) => passwordHash)
  const fitting = await checkPasswords(hashes, password, networkOf(address))
  return candidates.filter(({ passwordHash }) => fitting.has(passwordHash))
}

/** Two users of one account may have addresses that differ in their spelling alone: the one that was typed counts. */
function onePerAccount(fitting: readonly Candidate[], typed: string): Candidate[] {
  const exactLast = fitting.toSorted((one, other) => Number(one.email === typed) - Number(other.email === typed))
  return [...new Map(exactLast.map((candidate) => [candidate.user.account, candidate])).values()]
}

/** Where the accounts of an address have several salts: the same password with the common one, so that the next sign-in computes one hash. */
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

/** Whoever changes the user at this moment waits, and then ends this session with the others. The user always comes first, then links and sessions. */
const holdUser = ({ db, accountId }: Context, userId: string) =>
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
  /** With a reset: whether API keys go too; they do unless somebody says otherwise. */
  revokeKeys?: boolean | undefined
}

/** Lets somebody in who was sent a link, with the password they choose. */
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
  const actor = newcomer(owner, now, visitor, 'link', operation)
  const begun = await change(installation, actor, async (context) => {
    context.about({ id: userId })
    await heldUser(context, userId)
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
  await knowPlace(database.forAnybody(''), { account: accountId, userId }, visitor.address, now)
  return begun
}

/** Signs in whoever has the link that the demo prints. */
export const enter = (installation: Installation, visitor: Visitor, token: string): Promise<Begun> =>
  enterByLink(installation, visitor, { token, purpose: 'entry', operation: signInOperations.signIn })

/** Signs in as one of the demo's users, without a password. */
export const enterAs = (
  installation: Installation,
  visitor: Visitor,
  who: { accountId: string; userId: string },
): Promise<Begun> => {
  const actor = newcomer(who, installation.clock.now(), visitor, 'link', signInOperations.signIn)
  return change(installation, actor, async (context) => {
    await heldUser(context, who.userId)
    return begin(context, { userId: who.userId, stays: false })
  })
}

interface Entering {
  token: string
  purpose: Exclude<Purpose, 'reset'>
  operation: string
  firstName?: string | undefined
  lastName?: string | undefined
  /** Refuses whom the link alone does not let in. */
  allow?: (context: Context, userId: string) => Promise<unknown>
}

/** Lets somebody in by a link alone. */
export async function enterByLink(
  installation: Installation,
  visitor: Visitor,
  { token, purpose, operation, allow, ...names }: Entering,
): Promise<Begun> {
  const now = installation.clock.now()
  const owner = await ownerOfLink(installation.database, token, purpose, now)
  const { userId } = owner
  return change(installation, newcomer(owner, now, visitor, 'link', operation), async (context) => {
    if (purpose !== 'entry') context.about({ id: userId })
    await heldUser(context, userId)
    await allow?.(context, userId)
    await useLink(context, token, purpose)
    if (Object.keys(given(names)).length > 0) await writeUser(context, userId, given(names))
    if (purpose !== 'entry') await emitInner(context, 'cameByLink', { userId })
    return begin(context, { userId, stays: false })
  })
}

interface Proof {
  accountId: string
  /** Theirs, or that of the user that `admit` makes. */
  userId: string
  email: string
  operation: string
  password?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
  /** Uses the proof up, makes the user where there is none, and holds it; in the transaction in which the session begins. */
  admit: (context: Context) => Promise<unknown>
}

/** Lets somebody in who proved their address in another area's way; with the password they choose, if any. */
export async function enterByProof(
  installation: Installation,
  visitor: Visitor,
  { accountId, userId, email, operation, password, firstName, lastName, admit }: Proof,
): Promise<Begun> {
  const { database, clock, keyring } = installation
  const now = clock.now()
  const passwordHash =
    password === undefined ? undefined : await hashInTurn(password, saltFor(keyring, email), networkOf(visitor.address))
  const actor = newcomer({ accountId, userId }, now, visitor, 'link', operation)
  const begun = await change(installation, actor, async (context) => {
    context.about({ id: userId })
    await admit(context)
    await heldUser(context, userId)
    const changes = { ...given({ firstName, lastName }), ...(passwordHash && { passwordHash }) }
    if (Object.keys(changes).length > 0) await writeUser(context, userId, changes)
    if (passwordHash) await endSignIns(context, userId)
    await emitInner(context, 'cameByLink', { userId })
    return begin(context, { userId, stays: false })
  })
  await knowPlace(database.forAnybody(''), { account: accountId, userId }, visitor.address, now)
  return begun
}

/** Makes a change in the name of a user who proved their address but signs in by themselves: no session begins. */
export const actByProof = (
  installation: Installation,
  visitor: Visitor,
  { accountId, userId, operation, admit }: Pick<Proof, 'accountId' | 'userId' | 'operation' | 'admit'>,
) =>
  change(
    installation,
    newcomer({ accountId, userId }, installation.clock.now(), visitor, 'link', operation),
    async (context) => {
      context.about({ id: userId })
      await admit(context)
      await emitInner(context, 'cameByLink', { userId })
    },
  )

/** What somebody said of their name; what they left empty stays as it is. */
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

/** The same password under another salt: nothing that anybody sees has changed. */
const writeHash = ({ db, accountId }: Context, userId: string, passwordHash: string) =>
  db.updateTable('users').set({ passwordHash }).where('accountId', '=', accountId).where('id', '=', userId).execute()

async function heldUser(context: Context, userId: string) {
  const user = await holdUser(context, userId)
  if (!user) throw invalid('The user was switched off meanwhile. Ask an admin of the account.')
  return user
}
