import { createHmac, timingSafeEqual } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Refusal } from '../errors.ts'
import { NoFreeSlot, openFairSemaphore } from '../fair-semaphore.ts'
import type { Keyring } from './keyring.ts'

/** argon2id at the strength OWASP advises: 19 MiB, two passes. */
const strength = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** The stored form of a password. */
export const hashPassword = (password: string, salt: Buffer) => hash(password, { ...strength, salt })

/**
 * One salt for all passwords of one email address, whichever account they belong to: a sign-in then computes one hash, however many accounts know
 * the address. It differs between installations, and after a change of the secret keys; a stored hash names the salt it was made with.
 */
export const saltFor = (keyring: Keyring, email: string): Buffer =>
  createHmac('sha256', keyring.derive('password salts'))
    .update(email.normalize('NFKC').toLowerCase())
    .digest()
    .subarray(0, 16)

/** So many are worked on at a time, and of one owner one: the others would only keep the threads of everybody else busy. */
const places = openFairSemaphore({ places: 2, share: 1 })
const patienceMs = 10_000

/** Whether the password is the one that was hashed; for nobody's it takes as long. */
export const checkPassword = async (hashed: string | undefined, password: string, owner: string): Promise<boolean> =>
  (await checkPasswords(hashed === undefined ? [] : [hashed], password, owner)).has(hashed ?? '')

/** Which of these hashes are the password's. Hashes with one salt take as long as one of them, and none at all takes as long as one. */
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
      // Left to the library, whatever its parameters are.
      if (await inTurn(owner, () => verify(first, password))) fitting.add(first)
      continue
    }
    const made = await inTurn(owner, () => hash(password, optionsOf(first)))
    for (const hashed of [first, ...others]) if (isSame(made, hashed)) fitting.add(hashed)
  }
  return fitting
}

/** How many hashes have to be computed to check a password against all of these. */
export const checksNeeded = (hashes: readonly string[]) => new Set(hashes.map(saltOf)).size

/** The same for strangers who choose a password. */
export const hashInTurn = (password: string, salt: Buffer, owner: string) =>
  inTurn(owner, () => hashPassword(password, salt))

/** What two hashes of one password have in common: algorithm, parameters and salt. */
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
    await places.take(owner, { patienceMs })
  } catch (error) {
    if (!(error instanceof NoFreeSlot)) throw error
    throw new Refusal('unavailable', 'Too many people sign in at the moment. Try again in a few seconds.', {
      retryAfter: 5,
    })
  }
  try {
    return await work()
  } finally {
    places.release(owner)
  }
}

let made: Promise<string> | undefined

function nobodys(): Promise<string> {
  made ??= hashPassword('nobody has this password', Buffer.from('the same for all'))
  return made
}
