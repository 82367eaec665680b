import type { Visitor } from '#kernel/caller.ts'
import { change, systemActor } from '#kernel/change.ts'
import type { Context } from '#kernel/context.ts'
import { invalid, Refusal } from '#kernel/errors.ts'
import type { Installation } from '#kernel/installation.ts'
import { checkPassword, hashInTurn } from '#kernel/secrets/password.ts'
import { endSignIns } from '../user/user.ts'
import { findByEmail } from '../user/user-email.ts'
import { countSignIn, knowPlace, networkOf } from './brake.ts'
import { type Begun, begin } from './session.ts'
import { ownerOfLink, type Purpose, useLink } from './sign-in-link.ts'

interface Credentials {
  email: string
  password: string
  /** Where e-mail and password fit several accounts. */
  account?: string | undefined
  stays?: boolean | undefined
}

/** A session, or the accounts to choose from. */
export type SignedIn =
  | { begun: Begun; accounts?: undefined }
  | { begun?: undefined; accounts: { id: string; name: string }[] }

/** Signs somebody in by e-mail and password. Who has no right password learns nothing, not even how long it took for whom. */
export async function signIn(
  world: Installation,
  visitor: Visitor,
  { email, password, account, stays = false }: Credentials,
): Promise<SignedIn> {
  const { database, clock } = world
  const now = clock.now()
  const strangers = database.forAnybody('')
  const trying = await countSignIn(strangers, email, visitor.address, now)
  const found = await findByEmail(strangers, email, account)
  const candidates = await Promise.all((found.length > 0 ? found : nobody).map((place) => candidateOf(world, place)))
  const fitting = await fittingOf(
    candidates.filter((candidate) => candidate !== undefined),
    password,
    networkOf(visitor.address),
  )
  const [only, ...more] = fitting
  if (!only) throw wrong()
  await trying.succeeded()
  if (more.length > 0) return { accounts: fitting.map(({ accountId, accountName: name }) => ({ id: accountId, name })) }
  const begun = await change(world, { ...systemActor(only.accountId, now), visitor }, async (context) => {
    if ((await holdUser(context, only.userId))?.passwordHash !== only.passwordHash) throw wrong()
    return begin(context, { userId: only.userId, stays })
  })
  return { begun }
}

/** Whom to look for where nobody has the address: it takes as long. */
const nobody = [{ account: '001nobody000000', userId: '00Anobody000000' }]

interface Candidate {
  accountId: string
  userId: string
  accountName: string
  passwordHash: string
}

async function candidateOf(
  { database }: Installation,
  { account, userId }: { account: string; userId: string },
): Promise<Candidate | undefined> {
  const found = await database
    .forAnybody(account)
    .selectFrom('users as u')
    .innerJoin('accounts as a', 'a.id', 'u.accountId')
    .select(['u.passwordHash', 'u.role', 'a.name as accountName'])
    .where('u.accountId', '=', account)
    .where('u.id', '=', userId)
    .where('u.status', '=', 'active')
    .where('a.status', '=', 'active')
    .executeTakeFirst()
  if (!found?.role || !found.passwordHash) return undefined
  return { accountId: account, userId, accountName: found.accountName, passwordHash: found.passwordHash }
}

async function fittingOf(candidates: Candidate[], password: string, owner: string): Promise<Candidate[]> {
  if (candidates.length === 0) await checkPassword(undefined, password, owner)
  const fitting: Candidate[] = []
  for (const candidate of candidates)
    if (await checkPassword(candidate.passwordHash, password, owner)) fitting.push(candidate)
  return fitting
}

/** Whoever changes the user at this moment waits, and then ends this session with the others. The user always comes first, then links and sessions. */
const holdUser = ({ db, accountId }: Context, userId: string) =>
  db
    .selectFrom('users')
    .select(['email', 'passwordHash'])
    .where('accountId', '=', accountId)
    .where('id', '=', userId)
    .where('status', '=', 'active')
    .forNoKeyUpdate()
    .executeTakeFirst()

const wrong = () => new Refusal('unauthenticated', 'The email address or the password is wrong.')

interface Choice {
  token: string
  password: string
  firstName?: string | undefined
  lastName?: string | undefined
}

/** Lets somebody in who was sent a link, with the password they choose. */
export async function choosePassword(
  world: Installation,
  visitor: Visitor,
  purpose: Exclude<Purpose, 'entry'>,
  { token, password, ...names }: Choice,
): Promise<Begun> {
  const { database, clock } = world
  const now = clock.now()
  const { accountId, userId } = await ownerOfLink(database, token, purpose, now)
  const passwordHash = await hashInTurn(password, networkOf(visitor.address))
  const given = Object.fromEntries(Object.entries(names).filter(([, name]) => name))
  const { begun, email } = await change(world, { ...systemActor(accountId, now), visitor }, async (context) => {
    const user = await heldUser(context, userId)
    await useLink(context, token, purpose)
    await context.db
      .updateTable('users')
      .set({ ...given, passwordHash, modified: now })
      .where('accountId', '=', accountId)
      .where('id', '=', userId)
      .execute()
    await endSignIns(context, userId)
    return { email: user.email, begun: await begin(context, { userId, stays: false }) }
  })
  await knowPlace(database.forAnybody(''), email, visitor.address, now)
  return begun
}

/** Signs in whoever has the link that the demo prints. */
export async function enter(world: Installation, visitor: Visitor, token: string): Promise<Begun> {
  const now = world.clock.now()
  const { accountId, userId } = await ownerOfLink(world.database, token, 'entry', now)
  return change(world, { ...systemActor(accountId, now), visitor }, async (context) => {
    await heldUser(context, userId)
    await useLink(context, token, 'entry')
    return begin(context, { userId, stays: false })
  })
}

async function heldUser(context: Context, userId: string) {
  const user = await holdUser(context, userId)
  if (!user) throw invalid('The user was switched off meanwhile. Ask an admin of the account.')
  return user
}
