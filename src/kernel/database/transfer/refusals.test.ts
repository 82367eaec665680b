import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrationFolders } from '#main/project.ts'
import { freshDatabase } from '../../../../tests/support/database/database.ts'
import { ownerQuery } from '../owner.ts'
import * as fixture from './transfer.fixture.ts'
import { backup, move, restore } from './transfer.ts'

const now = new Date('2026-11-15T12:00:00Z')
const version = '1.2.3'
const made: fixture.OwnedDatabase[] = []
let source: fixture.OwnedDatabase
let target: fixture.OwnedDatabase
let folder: string
let whole: Buffer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-refusals-'))
  source = await fresh()
  target = await fresh()
  await ownerQuery(source.url, `insert into accounts values ('a', now(), now(), 'A', 'active')`)
  await ownerQuery(
    source.url,
    `insert into users (account_id, id, created, modified, first_name, last_name, email)
     select 'a', i::text, now(), now(), md5(i::text), md5((-i)::text), i || '@a' from generate_series(1, 2000) i`,
  )
  await backup({ url: source.url, file: join(folder, 'whole.gz'), now, version })
  whole = await readFile(join(folder, 'whole.gz'))
})

afterAll(async () => {
  for (const database of made.toReversed()) await database.drop()
  await rm(folder, { recursive: true })
})

async function fresh() {
  const database = await freshDatabase()
  made.push(database)
  return database
}

const restored = async (content: Buffer, url = target.url, migrations = migrationFolders) => {
  const file = join(folder, 'given.gz')
  await writeFile(file, content)
  return restore({ url, file, migrationFolders: migrations, marks: [] })
}

describe('a file that is not a whole backup is refused and nothing is loaded:', () => {
  const text = () => gunzipSync(whole).toString()
  const flipped = (content: Buffer, at: number) => {
    const copy = Buffer.from(content)
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  }

  test.each<[string, () => Buffer, RegExp]>([
    ['cut in the middle', () => whole.subarray(0, whole.length >> 1), /damaged: unexpected end of file/],
    ['cut at its last byte', () => whole.subarray(0, -1), /damaged: unexpected end of file/],
    ['a bit flipped in the middle', () => flipped(whole, whole.length >> 1), /damaged/],
    ['a bit flipped in the packing checksum', () => flipped(whole, whole.length - 6), /damaged/],
    ['a value changed and packed anew', () => gzipSync(text().replace('@a', '@b')), /its checksum is wrong/],
    ['a row left out', () => gzipSync(text().replace(/\na\t7\t.*/, '')), /its checksum is wrong/],
    ['a count changed', () => gzipSync(text().replace('"users":2000', '"users":1999')), /users has 2000 rows/],
    ['its end left out', () => gzipSync(text().replace(/\{[^\n]*\}\n$/, '')), /it ends early/],
    ['a line added', () => gzipSync(`${text()}{}\n`), /something follows its end/],
    ['a table left out', () => gzipSync(text().replace(/COPY public."teams"[^;]*;\n\\\.\n/, '')), /teams is not where/],
    ['no file of ours', () => Buffer.from('hello\n'), /not a backup of Chorus/],
    ['packed, yet not ours', () => gzipSync('hello\n'), /not a backup of Chorus/],
    ['packed, without a line', () => gzipSync('hello'), /it ends early/],
    ['an empty file', () => Buffer.alloc(0), /not a backup of Chorus/],
  ])('%s', async (_, content, message) => {
    await expect(restored(content())).rejects.toThrow(message)
    expect(await ownerQuery(target.url, 'select 1 from accounts')).toEqual([])
  })
})

test('a database with accounts is no target, and stays as it is', async () => {
  const used = await fresh()
  await ownerQuery(used.url, `insert into accounts values ('mine', now(), now(), 'Mine', 'active')`)
  const before = await fixture.allRows(used.url)
  await expect(restored(whole, used.url)).rejects.toThrow('already holds accounts')
  const moved = move({ from: source.url, to: used.url, migrationFolders, now, version })
  await expect(moved).rejects.toThrow('already holds accounts')
  expect(await fixture.allRows(used.url)).toEqual(before)
})

test('a database of another program is no target and no source', async () => {
  const other = await fresh()
  await ownerQuery(other.url, 'drop table migrations')
  await expect(restored(whole, other.url)).rejects.toThrow('not of Chorus')
  await expect(backup({ url: other.url, file: join(folder, 'other.gz'), now, version })).rejects.toThrow(
    'not one of Chorus',
  )
})

test('a row the target does not take leaves nothing behind', async () => {
  const strict = await fresh()
  await ownerQuery(strict.url, `alter table users add constraint strict check (id <> '1999')`)
  await expect(restored(whole, strict.url)).rejects.toThrow(/Loading the table users failed: .*strict/)
  expect(await ownerQuery(strict.url, 'select 1 from accounts')).toEqual([])
})

test('a backup that cannot be written leaves no file', async () => {
  const file = join(folder, 'missing', 'backup.gz')
  await expect(backup({ url: source.url, file, now, version })).rejects.toThrow('its folder does not exist')
  await expect(backup({ url: source.url, file: folder, now, version })).rejects.toThrow('could not be written')
  expect((await readdir(tmpdir())).filter((name) => name.endsWith('.partial'))).toEqual([])
})

test('a user from whom row security hides rows makes no backup', async () => {
  const stranger = await fixture.plainOwnersDatabase(source.url)
  made.push(stranger)
  const { username, password } = new URL(stranger.url)
  await ownerQuery(source.url, `grant select on all tables in schema public to ${username}`)
  const url = Object.assign(new URL(source.url), { username, password }).href
  await expect(backup({ url, file: join(folder, 'hidden.gz'), now, version })).rejects.toThrow('does not see every row')
  await ownerQuery(source.url, `revoke all on all tables in schema public from ${username}`)
})
