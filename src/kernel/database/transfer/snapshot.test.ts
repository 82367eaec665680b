import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import type { Database } from '../database.ts'
import { ownerQuery } from '../owner.ts'
import { backup } from './transfer.ts'

const accounts = ['001a', '001b', '001c', '001d']
let folder: string
let own: Awaited<ReturnType<typeof freshDatabase>>
let database: Database
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-moment-'))
  own = await freshDatabase()
  database = openPatientDatabase({ url: own.url, connections: 8 })
  const ask = (text: string) => ownerQuery(own.url, text)
  for (const account of accounts) {
    await ask(`insert into accounts (id, created, modified, name) values ('${account}', now(), now(), 'x')`)
    await ask(`insert into campaigns (account_id, id, created, modified, created_by, modified_by, name, status, color)
      values ('${account}', '002', now(), now(), '', '', 'x', 'active', '#2456D6')`)
  }
})
afterAll(async () => {
  await database.close()
  await own.drop()
  await rm(folder, { recursive: true })
})

/** A link and its lookup row, which are on different nodes of a cluster. */
async function makeLink(accountId: string, hash: string) {
  const now = new Date()
  const urls = { originalUrl: 'https://example.com', longUrl: 'https://example.com' }
  const about = { campaignId: '002', messageId: '', credentialId: '', network: 'X' }
  await database.transaction(accountId, async (db) => {
    await db
      .insertInto('links')
      .values({ accountId, id: hash, created: now, modified: now, hash, ...about, ...urls })
      .execute()
    await db.insertInto('linkHashes').values({ account: accountId, hash, link: hash, longUrl: urls.longUrl }).execute()
  })
}

const backedUp = async (number: number) => {
  const file = join(folder, `${number}.gz`)
  await backup({ url: own.url, file, now: new Date(), version: '1.2.3' })
  const text = gunzipSync(await readFile(file)).toString()
  const hashesIn = (table: string) => {
    const rows = text.split(`COPY public."${table}" `)[1]?.split('\n\\.\n')[0] ?? ''
    return new Set(rows.match(/made-\d+/g))
  }
  return { links: hashesIn('links'), hashes: hashesIn('link_hashes') }
}

test('a backup is a consistent snapshot of all nodes under concurrent writes', async () => {
  let made = 0
  let ended = false
  const making = accounts.map(async (account) => {
    while (!ended) await makeLink(account, `made-${made++}`)
  })
  const sizes: number[] = []
  for (let number = 0; number < 3; number++) {
    const { links, hashes } = await backedUp(number)
    expect(hashes).toEqual(links)
    sizes.push(links.size)
  }
  ended = true
  await Promise.all(making)
  // Writes continued throughout.
  expect(new Set(sizes).size).toBe(sizes.length)
})
