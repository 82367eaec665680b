import { createHmac, timingSafeEqual } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Refusal } from '../errors.ts'
import { NoFreeSlot, openFairSemaphore } from '../fair-semaphore.ts'
import type { Keyring } from './keyring.ts'

/** argon2id with the parameters OWASP recommends: 19 MiB, two passes. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** The stored form of a password. */
export const hashPassword = (password: string, salt: Buffer) => hash(password, { ...strength, salt })

/**
 * One salt for all passwords of an email address across accounts: a sign-in then computes one hash, however many accounts know the email
 * address. It differs between installations and after a change of the secret keys; a stored hash contains its salt.
 */
export const saltFor = (keyring: Keyring, email: string): Buffer =>
  createHmac('sha256', keyring.derive('password salts'))
    .update(email.normalize('NFKC').toLowerCase())
    .digest()
    .subarray(0, 16)

/** Maximum concurrent hashes, and one per owner: more would only occupy the thread pool. */
const slots = openFairSemaphore({ slots: 2, share: 1 })
const patienceMs = 10_000

/** Whether the password matches the hash; takes as long if there is no hash. */
export const checkPassword = async (hashed: string | undefined, password: string, owner: string): Promise<boolean> =>
  (await checkPasswords(hashed === undefined ? [] : [hashed], password, owner)).has(hashed ?? '')

/** Which of these hashes match the password. Hashes with one salt take as long as a single one, and so does an empty list. */
export async function checkPasswords(
  hashes: readonly string[],
  password: string,
  owner: string,
): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) await inTurn(owner, async () => verify(await nobodys(), password))
  const fitting = new Set<string>()
  for (const salt of new Set(hashes.map(saltOf))) {
    const [first = '', ...others] = hashes.filter((hashed) => saltOf(hashed) === salt)
    if (others.length === 0) {
      // Hashes with other parameters are verified by the library.
      if (await inTurn(owner, () => verify(first, password))) fitting.add(first)
      continue
    }
    const made = await inTurn(owner, () => hash(password, optionsOf(first)))
    for (const hashed of [first, ...others]) if (isSame(made, hashed)) fitting.add(hashed)
  }
  return fitting
}

/** How many hashes must be computed to check a password against all of these. */
export const checksNeeded = (hashes: readonly string[]) => new Set(hashes.map(saltOf)).size

/** Hashes a password under the same concurrency limit, for unauthenticated callers who choose one. */
export const hashInTurn = (password: string, salt: Buffer, owner: string) =>
  inTurn(owner, () => hashPassword(password, salt))

/** The common part of two hashes of one password: algorithm, parameters and salt. */
const saltOf = (hashed: string) => (parameters.test(hashed) ? hashed.slice(0, hashed.lastIndexOf('$')) : hashed)

const parameters = /^\$argon2id\$v=19\$m=(\d{1,10}),t=(\d{1,10}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$[A-Za-z0-9+/]+$/

function optionsOf(hashed: string) {
  const [, memory, passes, threads, salt = ''] = parameters.exec(hashed) ?? []
  const [memoryCost, timeCost, parallelism] = [Number(memory), Number(passes), Number(threads)]
  return { memoryCost, timeCost, parallelism, salt: Buffer.from(salt, 'base64') }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

async function inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
  try {
    await slots.take(owner, { patienceMs })
  } catch (error) {
    if (!(error instanceof NoFreeSlot)) throw error
    throw new Refusal('unavailable', 'Too many people sign in at the moment. Try again in a few seconds.', {
      retryAfter: 5,
    })
  }
  try {
    return await work()
  } finally {
    slots.release(owner)
  }
}

let made: Promise<string> | undefined

function nobodys(): Promise<string> {
  made ??= hashPassword('nobody has this password', Buffer.from('the same for all'))
  return made
}
