import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { keyIds, keyOf, newKeyring, readKeyring } from '#kernel/secrets/keyring.ts'
import { commandLine } from '../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { demoKeyScope } from '../kernel-area.ts'
import { openKeyring } from '../process/storage.ts'

const line = commandLine()
const { chorus } = line
const file = () => join(line.dataDir, 'secret-keys')
const keys = async () => keyIds((await readFile(file(), 'utf8')).trim())
const backdate = () => utimes(file(), 0, 0)

const put = (sealed: string) =>
  ownerQuery(
    line.databaseUrl,
    `insert into installation (created, demo_api_key) values (now(), $1)
     on conflict (singleton) do update set demo_api_key = $1`,
    [sealed],
  )
const cell = async () => {
  const [row] = await ownerQuery<{ sealed: string }>(
    line.databaseUrl,
    'select demo_api_key as sealed from installation',
  )
  return row?.sealed ?? ''
}

let first: string
beforeEach(async () => {
  const text = newKeyring()
  first = keyIds(text)[0] as string
  await writeFile(file(), `${text}\n`, { mode: 0o600 })
  await put(readKeyring(text).encrypt('the key', demoKeyScope))
})

describe('chorus secrets', () => {
  test('rotate and forget-old leave one new key that everything is encrypted with, under a running service', async () => {
    const running = await openKeyring({ secretKeys: undefined, dataDir: line.dataDir })
    const output = await chorus('secrets rotate')
    const [newest = '', ...old] = await keys()
    expect(old).toEqual([first])
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect(output).toContain(`Added the key ${newest}.\nSecrets encrypted with the key ${newest}: 1.\n`)
    expect(output).toContain(`Nothing in the database needs ${first} any more, but backups made until now do`)
    expect(keyOf(await cell())).toBe(newest)
    expect(running.decrypt(await cell(), demoKeyScope)).toBe('the key')
    expect(running.newest).toBe(newest)

    await expect(chorus('secrets forget-old')).rejects.toThrow(/^The keys have just been changed\. Try again in \d+ /)
    await backdate()
    expect(await chorus('secrets forget-old')).toBe(`Removed ${first}.`)
    expect(await keys()).toEqual([newest])
    expect(await chorus('secrets forget-old')).toBe('There is no old key.')
    expect(running.decrypt(await cell(), demoKeyScope)).toBe('the key')
  })

  test('rotate continues an interrupted rotation without adding a third key', async () => {
    const added = newKeyring()
    await writeFile(file(), `${added},${(await readFile(file(), 'utf8')).trim()}\n`)
    expect(await chorus('secrets rotate')).toMatch(/^Going on with a rotation that was not finished\./)
    expect(await keys()).toEqual([keyIds(added)[0], first])
    expect(keyOf(await cell())).toBe(keyIds(added)[0])
  })

  test('forget-old refuses while a key is needed', async () => {
    await writeFile(file(), `${newKeyring()},${(await readFile(file(), 'utf8')).trim()}\n`)
    await backdate()
    await expect(chorus('secrets forget-old')).rejects.toThrow(
      `Still needed: ${first}. Run first: chorus secrets reencrypt`,
    )
    expect((await keys()).length).toBe(2)
  })

  test('two rotations at once lose no key', async () => {
    await Promise.all([chorus('secrets rotate'), chorus('secrets rotate')])
    const keyring = await openKeyring({ secretKeys: undefined, dataDir: line.dataDir })
    expect(keyring.decrypt(await cell(), demoKeyScope)).toBe('the key')
    expect(await keys()).toContain(first)
  })

  test('with CHORUS_SECRET_KEYS rotate prints a new key and reencrypt re-encrypts', async () => {
    const older = (await readFile(file(), 'utf8')).trim()
    const output = await chorus('secrets rotate', { CHORUS_SECRET_KEYS: older })
    const [added = ''] = /k\w+:\S+=/.exec(output) ?? []
    const setting = { CHORUS_SECRET_KEYS: `${added},${older}` }
    expect(await chorus('secrets reencrypt', setting)).toContain(`encrypted with the key ${keyIds(added)[0]}: 1.`)
    expect(readKeyring(added).decrypt(await cell(), demoKeyScope)).toBe('the key')
    await expect(chorus('secrets forget-old', setting)).rejects.toThrow('remove the old ones there')
    expect((await keys()).length).toBe(1)
  })
})
