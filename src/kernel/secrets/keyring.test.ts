import { expect, test } from 'vitest'
import { keyOf, newKeyring, noticeWithin, readKeyring } from './keyring.ts'

test('what is sealed can be opened, in its own place only', () => {
  const keyring = readKeyring(newKeyring())
  const sealed = keyring.encrypt('schlüssel', 'table.column')
  expect(sealed).not.toContain('schl')
  expect(keyring.encrypt('schlüssel', 'table.column')).not.toBe(sealed)
  expect(keyring.decrypt(sealed, 'table.column')).toBe('schlüssel')
  expect(() => keyring.decrypt(sealed, 'table.other')).toThrow()
  expect(() => keyring.decrypt(`${sealed.slice(0, -2)}AA`, 'table.column')).toThrow()
})

test('an older key still opens what it sealed; a key that is gone is named', () => {
  const [older, newer] = [newKeyring(), newKeyring()]
  const sealed = readKeyring(older).encrypt('secret', 'p')
  expect(readKeyring(`${newer},${older}`).decrypt(sealed, 'p')).toBe('secret')
  expect(() => readKeyring(newer).decrypt(sealed, 'p')).toThrow(
    `The keyring has no key "${older.split(':')[0]}". Add it to CHORUS_SECRET_KEYS.`,
  )
})

test('a key that is added while the process runs is found: to decrypt at once, to encrypt within a second', async () => {
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

test('a key that is gone is looked for once a second, and a file that cannot be read takes no key away', () => {
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
