import { expect, test } from 'vitest'
import { asked } from '../../../tests/support/quick-argon2.ts'
import { checkPassword, hashPassword } from './password.ts'

test('a password is kept as argon2id at the strength that is advised, and no two are kept alike', async () => {
  const [one, other] = [await hashPassword('the ferry leaves'), await hashPassword('the ferry leaves')]
  expect(asked.options).toEqual({ memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  expect(one).toMatch(/^\$argon2id\$v=19\$/)
  expect(one).not.toBe(other)
})

test('it fits its own hash, no other, and nobody’s', async () => {
  const hashed = await hashPassword('the ferry leaves')
  expect(await checkPassword(hashed, 'the ferry leaves', 'owner')).toBe(true)
  expect(await checkPassword(hashed, 'the ferry left', 'owner')).toBe(false)
  expect(await checkPassword(undefined, 'nobody has this password', 'owner')).toBe(false)
})
