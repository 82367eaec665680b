import { expect, test } from 'vitest'
import { hashing } from '../../../tests/support/quick-argon2.ts'
import { readKeyring } from './keyring.ts'
import { checkPassword, checkPasswords, hashPassword, saltFor } from './password.ts'

const keyring = readKeyring(`k1:${Buffer.alloc(32, 1).toString('base64')}`)
const salt = (email: string) => saltFor(keyring, email)

test('a password is stored as argon2id with recommended parameters, and differently for each email', async () => {
  const [one, other] = [
    await hashPassword('the ferry leaves', salt('one@example.com')),
    await hashPassword('the ferry leaves', salt('two@example.com')),
  ]
  expect(hashing.options).toMatchObject({ memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  expect(one).toMatch(/^\$argon2id\$v=19\$/)
  expect(one).not.toBe(other)
})

test('a salt is unique to an email and an installation', () => {
  expect(salt('One@Example.com')).toEqual(salt('one@example.com'))
  expect(salt('one@example.com')).toHaveLength(16)
  const elsewhere = readKeyring(`k1:${Buffer.alloc(32, 2).toString('base64')}`)
  expect(saltFor(elsewhere, 'one@example.com')).not.toEqual(salt('one@example.com'))
})

test('a password matches only its own hash, and no hash of an unknown user', async () => {
  const hashed = await hashPassword('the ferry leaves', salt('one@example.com'))
  expect(await checkPassword(hashed, 'the ferry leaves', 'owner')).toBe(true)
  expect(await checkPassword(hashed, 'the ferry left', 'owner')).toBe(false)
  expect(await checkPassword(undefined, 'nobody has this password', 'owner')).toBe(false)
})

test('several hashes with one salt are checked by one computation, like one hash or none', async () => {
  const passwords = ['first one', 'second one', 'third one', 'second one']
  const hashes = await Promise.all(passwords.map((password) => hashPassword(password, salt('one@example.com'))))
  const elsewhere = await hashPassword('second one', salt('two@example.com'))
  // The dummy hash is created on first use.
  await checkPasswords([], 'second one', 'owner')
  const work = async (given: readonly string[], password: string) => {
    const before = hashing.computed
    const fitting = await checkPasswords(given, password, 'owner')
    return { fitting: [...fitting], computed: hashing.computed - before }
  }
  expect(await work([], 'second one')).toEqual({ fitting: [], computed: 1 })
  expect(await work(hashes.slice(0, 1), 'first one')).toEqual({ fitting: [hashes[0]], computed: 1 })
  expect(await work(hashes, 'second one')).toEqual({ fitting: [hashes[1]], computed: 1 })
  expect(hashes[3], 'the same password for the same address').toBe(hashes[1])
  expect(await work(hashes, 'fourth one')).toEqual({ fitting: [], computed: 1 })
  expect(await work([...hashes, elsewhere], 'second one')).toEqual({ fitting: [hashes[1], elsewhere], computed: 2 })
})
