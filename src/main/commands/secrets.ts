import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#kernel/database/database.ts'
import { acquireLock } from '#kernel/database/locks.ts'
import { type Keyring, keyIds, newKeyring, noticeWithin } from '#kernel/secrets/keyring.ts'
import { keysInUse, reencrypt } from '#kernel/secrets/reencrypt.ts'
import { keyringText, keysChanged, replaceKeys } from '../process/storage.ts'
import { encryptedColumns } from '../registry.ts'
import { type Command, type Print, withDatabase } from './command.ts'

/** Longer than any transaction: values encrypted with the old key before the new one was noticed are committed by then. */
const settleTime = 60_000

const reportEvery = 1000

export const secretsCommands: readonly Command[] = [
  {
    name: 'secrets rotate',
    summary: 'Add a new secret key and encrypt everything with it; the service may go on',
    run: async (settings, _options, print) => {
      if (settings.secretKeys) return print(manualRotation())
      await withDatabase(settings, print, async ({ database, keyring }) => {
        const added = await addKey(database, settings.dataDir)
        print(added ? `Added the key ${added}.` : 'Going on with a rotation that was not finished.')
        // By then every process encrypts with the new key.
        await sleep(noticeWithin * 1.5)
        await encryptAll(database, keyring, print)
        await reportUnused(database, await keyringText(undefined, settings.dataDir), print)
      })
    },
  },
  {
    name: 'secrets reencrypt',
    summary: 'Encrypt with the newest secret key whatever an older one encrypted',
    run: (settings, _options, print) =>
      withDatabase(settings, print, async ({ database, keyring }) => {
        await encryptAll(database, keyring, print)
        await reportUnused(database, await keyringText(settings.secretKeys, settings.dataDir), print)
      }),
  },
  {
    name: 'secrets forget-old',
    summary: 'Remove the secret keys from the data folder that nothing needs any more',
    run: async (settings, _options, print) => {
      if (settings.secretKeys) throw new Error('The keys are in CHORUS_SECRET_KEYS; remove the old ones there.')
      await withDatabase(settings, print, async ({ database, now }) => {
        const forgotten = await forgetOldKeys(database, settings.dataDir, now)
        print(forgotten.length > 0 ? `Removed ${forgotten.join(', ')}.` : 'There is no old key.')
      })
    },
  },
]

/** Adds a new primary key and returns its id; undefined while the previous rotation is incomplete. */
function addKey(database: Database, dataDir: string): Promise<string | undefined> {
  return editingKeys(database, async () => {
    const text = await keyringText(undefined, dataDir)
    if ((await oldKeysInUse(database, text)).length > 0) return undefined
    const added = newKeyring()
    await replaceKeys(dataDir, `${added},${text}`)
    return keyIds(added)[0]
  })
}

function forgetOldKeys(database: Database, dataDir: string, now: Date): Promise<string[]> {
  return editingKeys(database, async () => {
    const text = await keyringText(undefined, dataDir)
    const [, ...old] = keyIds(text)
    if (old.length === 0) return []
    const used = await oldKeysInUse(database, text)
    if (used.length > 0) throw new Error(`Still needed: ${used.join(', ')}. Run first: chorus secrets reencrypt`)
    const wait = (await keysChanged(dataDir)).getTime() + settleTime - now.getTime()
    if (wait > 0) throw new Error(`The keys have just been changed. Try again in ${Math.ceil(wait / 1000)} seconds.`)
    await replaceKeys(dataDir, text.split(',')[0] ?? '')
    return old
  })
}

/** One command at a time: of two concurrent additions one key would be lost, together with the data it encrypted. */
function editingKeys<Result>(database: Database, edit: () => Promise<Result>): Promise<Result> {
  return database.transaction('', async (db) => {
    await acquireLock(db, 'secretKeys', '')
    return edit()
  })
}

async function oldKeysInUse(database: Database, keyring: string): Promise<string[]> {
  const used = await keysInUse(database, encryptedColumns)
  const [, ...old] = keyIds(keyring)
  return old.filter((id) => used.has(id))
}

async function encryptAll(database: Database, keyring: Keyring, print: Print) {
  let [soFar, reported] = [0, 0]
  const { done, unreadable } = await reencrypt(database, keyring, encryptedColumns, (cell, done) => {
    soFar += done
    if (soFar - reported < reportEvery) return
    reported = soFar
    print(`  ${soFar} so far, now ${cell}`)
  })
  print(`Secrets encrypted with the key ${keyring.newest}: ${done}.`)
  if (unreadable > 0) print(`Unreadable: ${unreadable}. The key that encrypted them is gone, or they are damaged.`)
}

async function reportUnused(database: Database, keyring: string, print: Print) {
  const used = await oldKeysInUse(database, keyring)
  const [, ...old] = keyIds(keyring)
  const unused = old.filter((id) => !used.includes(id))
  if (used.length > 0) print(`Still needed: ${used.join(', ')}.`)
  if (unused.length > 0)
    print(
      `Nothing in the database needs ${unused.join(', ')} any more, but backups made until now do: keep a copy with them. Then remove it from CHORUS_SECRET_KEYS, or from the data folder with: chorus secrets forget-old`,
    )
}

const manualRotation = () =>
  [
    'The keys are in CHORUS_SECRET_KEYS. A new one:',
    '',
    `  ${newKeyring()}`,
    '',
    '1. Put it at the end of CHORUS_SECRET_KEYS, with a comma, on every process, and restart them: all can read it then.',
    '2. Move it to the front on every process and restart them: they encrypt with it now.',
    '3. Run: chorus secrets reencrypt',
    '4. Remove the keys it says nothing needs any more.',
    '',
    'Where all processes restart at once, begin with step 2.',
  ].join('\n')
