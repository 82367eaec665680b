import { expect, test } from 'vitest'
import { keyOf, newKeyring, noticeWithin, readKeyring } from './keyring.ts'

test('an encrypted value can be decrypted only in its own context', () => {
  const keyring = readKeyring(newKeyring())
  const sealed = keyring.encrypt('schlüssel', 'table.column')
  expect(sealed).not.toContain('schl')
  expect(keyring.encrypt('schlüssel', 'table.column')).not.toBe(sealed)
  expect(keyring.decrypt(sealed, 'table.column')).toBe('schlüssel')
  expect(() => keyring.decrypt(sealed, 'table.other')).toThrow()
  expect(() => keyring.decrypt(`${sealed.slice(0, -2)}AA`, 'table.column')).toThrow()
})

test('a former key still decrypts its values; a missing key is named in the error', () => {
  const [older, newer] = [newKeyring(), newKeyring()]
  const sealed = readKeyring(older).encrypt('secret', 'p')
  expect(readKeyring(`${newer},${older}`).decrypt(sealed, 'p')).toBe('secret')
  expect(() => readKeyring(newer).decrypt(sealed, 'p')).toThrow(
    `The keyring has no key "${older.split(':')[0]}". Add it to CHORUS_SECRET_KEYS.`,
  )
})

test('a key added while the process runs is used immediately to decrypt, and within a second to encrypt', async () => {
  const [older, newer] = [newKeyring(), newKeyring()]
  let text = older
  let reads = 0
  const running = readKeyring(older, () => {
    reads++
    return text
  })
  text = `${newer},${older}`
  expect(keyOf(running.encrypt('x', 'p'))).toBe(older.split(':')[0])
  expect(running.decrypt(readKeyring(newer).encrypt('secret', 'p'), 'p')).toBe('secret')
  expect(running.newest).toBe(newer.split(':')[0])
  expect(reads).toBe(1)
  text = older
  await new Promise((resolve) => setTimeout(resolve, noticeWithin + 50))
  expect(keyOf(running.encrypt('x', 'p'))).toBe(older.split(':')[0])
})

test('a missing key is looked up once a second, and an unreadable key file removes no key', () => {
  const older = newKeyring()
  let reads = 0
  const running = readKeyring(older, () => {
    reads++
    throw new Error('ENOENT')
  })
  const lost = readKeyring(newKeyring()).encrypt('x', 'p')
  for (let tries = 0; tries < 10; tries++) expect(() => running.decrypt(lost, 'p')).toThrow('The keyring has no key')
  expect(reads).toBe(1)
  expect(running.decrypt(readKeyring(older).encrypt('x', 'p'), 'p')).toBe('x')
})
