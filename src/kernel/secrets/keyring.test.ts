import { expect, test } from 'vitest'
import { newKeyring, readKeyring } from './keyring.ts'

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
