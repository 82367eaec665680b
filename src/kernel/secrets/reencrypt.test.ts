import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { waitingForLocks } from '../../../tests/support/database/nodes.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../tests/support/database/patient-database.ts'
import type { Database } from '../database/database.ts'
import { type Keyring, keyOf, newKeyring, readKeyring } from './keyring.ts'
import { encryptedColumn, keysInUse, reencrypt } from './reencrypt.ts'

// Any text column of a tenant table works.
const contextOf = ({ accountId, id }: { [column: string]: string }) => `team/${accountId}/${id}`
const cells = [encryptedColumn('teams', 'name', ['accountId', 'id'], contextOf)]
const [first, second] = ['001first0000000', '001second000000'] as const
const [olderText, newerText] = [newKeyring(), newKeyring()]
const [older, both] = [readKeyring(olderText), readKeyring(`${newerText},${olderText}`)]

let database: Database
let url: string
let drop: () => Promise<void>
beforeAll(async () => {
  ;({ url, drop } = await freshDatabase())
  database = openPatientDatabase({ url, connections: 4 })
  for (const account of [first, second]) {
    await ownerQuery(url, `insert into accounts (id, created, modified, name) values ($1, now(), now(), 'x')`, [
      account,
    ])
  }
})
beforeEach(() => ownerQuery(url, 'delete from teams'))
afterAll(async () => {
  await database.close()
  await drop()
})

/** Creates this many teams in each account. */
async function fill(length: number) {
  const ids = Array.from({ length }, (_, number) => `025${String(number).padStart(12, '0')}`)
  for (const account of [first, second]) await add(account, ids, older)
}

const add = (accountId: string, ids: string[], keyring: Keyring) => {
  const seal = (id: string) => keyring.encrypt(`secret of ${accountId} ${id}`, contextOf({ accountId, id }))
  const rows = ids.map((id) => ({ accountId, id, created: new Date(), modified: new Date(), name: seal(id) }))
  return database.forAccount(accountId).insertInto('teams').values(rows).execute()
}

async function expectAllReadable(keyring: Keyring) {
  const rows = await ownerQuery<{ account_id: string; id: string; name: string }>(url, 'select * from teams')
  expect(rows.length).toBe(500)
  for (const { account_id: accountId, id, name } of rows)
    expect(keyring.decrypt(name, contextOf({ accountId, id }))).toBe(`secret of ${accountId} ${id}`)
}

const lockWaiters = () => waitingForLocks(url)

test('every cell of every account is reencrypted, even if the command is interrupted and repeated', async () => {
  // Slightly more than a batch each, so that it is interrupted in the middle of an account.
  await fill(250)
  const interrupted = reencrypt(database, both, cells, () => {
    throw new Error('interrupted')
  })
  await expect(interrupted).rejects.toThrow('interrupted')
  await expectAllReadable(both)
  expect(await keysInUse(database, cells)).toEqual(
    new Map([
      [keyOf(older.encrypt('', '')), 300],
      [both.newest, 200],
    ]),
  )
  expect(await reencrypt(database, both, cells)).toEqual({ done: 300, unreadable: 0 })
  expect(await keysInUse(database, cells)).toEqual(new Map([[both.newest, 500]]))
  await expectAllReadable(readKeyring(newerText))
  expect(await reencrypt(database, both, cells)).toEqual({ done: 0, unreadable: 0 })
})

test('a cell that is changed concurrently keeps the change and is reencrypted', async () => {
  const id = '025000000000007'
  await fill(10)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let locked = () => {}
  const holding = new Promise<void>((resolve) => {
    locked = resolve
  })
  const other = database.transaction(first, async (db) => {
    const name = older.encrypt('changed', contextOf({ accountId: first, id }))
    await db.updateTable('teams').set({ name }).where('accountId', '=', first).where('id', '=', id).execute()
    locked()
    await released
  })
  await holding
  const work = reencrypt(database, both, cells)
  await expect.poll(lockWaiters).toBe(1)
  release()
  await other
  expect(await work).toEqual({ done: 20, unreadable: 0 })
  const [row] = await ownerQuery<{ name: string }>(url, 'select name from teams where account_id = $1 and id = $2', [
    first,
    id,
  ])
  expect(readKeyring(newerText).decrypt(row?.name ?? '', contextOf({ accountId: first, id }))).toBe('changed')
})

test('cells whose key is missing are counted and left unchanged', async () => {
  await fill(10)
  await add(first, ['025zzz000000000'], readKeyring(newKeyring()))
  expect(await reencrypt(database, both, cells)).toEqual({ done: 20, unreadable: 1 })
})
