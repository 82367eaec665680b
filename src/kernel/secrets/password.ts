import { hash, verify } from '@node-rs/argon2'
import { Refusal } from '../errors.ts'
import { NoPlace, openFairPlaces } from '../fair-places.ts'

/** The stored form of a password: argon2id at the strength OWASP advises (19 MiB, two passes). */
export const hashPassword = (password: string) => hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })

/** So many are worked on at a time, and of one owner one: the others would only keep the threads of everybody else busy. */
const places = openFairPlaces({ places: 2, share: 1 })
const patienceMs = 10_000

/** Whether the password is the one that was hashed; for nobody's it takes as long. */
export const checkPassword = (hashed: string | undefined, password: string, owner: string): Promise<boolean> =>
  inTurn(owner, async () => {
    const another = await nobodys()
    const fits = await verify(hashed ?? another, password)
    return fits && hashed !== undefined
  })

/** The same for strangers who choose a password. */
export const hashInTurn = (password: string, owner: string) => inTurn(owner, () => hashPassword(password))

async function inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
  try {
    await places.take(owner, { patienceMs })
  } catch (error) {
    if (!(error instanceof NoPlace)) throw error
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
  made ??= hashPassword('nobody has this password')
  return made
}
