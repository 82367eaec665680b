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

describe('refuses a file that is not a complete backup and loads nothing:', () => {
  const text = () => gunzipSync(whole).toString()
  const flipped = (content: Buffer, at: number) => {
    const copy = Buffer.from(content)
    copy[at] = (copy[at] ?? 0) ^ 1
    return copy
  }

  test.each<[string, () => Buffer, RegExp]>([
    ['truncated in the middle', () => whole.subarray(0, whole.length >> 1), /damaged: unexpected end of file/],
    ['truncated by one byte', () => whole.subarray(0, -1), /damaged: unexpected end of file/],
    ['a bit flipped in the middle', () => flipped(whole, whole.length >> 1), /damaged/],
    ['a bit flipped in the gzip checksum', () => flipped(whole, whole.length - 6), /damaged/],
    ['a changed value, recompressed', () => gzipSync(text().replace('@a', '@b')), /its checksum is wrong/],
    ['a missing row', () => gzipSync(text().replace(/\na\t7\t.*/, '')), /its checksum is wrong/],
    ['a changed count', () => gzipSync(text().replace('"users":2000', '"users":1999')), /users has 2000 rows/],
    ['a missing trailer', () => gzipSync(text().replace(/\{[^\n]*\}\n$/, '')), /it ends early/],
    ['an additional line', () => gzipSync(`${text()}{}\n`), /something follows its end/],
    ['a missing table', () => gzipSync(text().replace(/COPY public."teams"[^;]*;\n\\\.\n/, '')), /teams is not where/],
    ['a file of another application', () => Buffer.from('hello\n'), /not a backup of Chorus/],
    ['a gzip file of another application', () => gzipSync('hello\n'), /not a backup of Chorus/],
    ['a gzip file without a line break', () => gzipSync('hello'), /it ends early/],
    ['an empty file', () => Buffer.alloc(0), /not a backup of Chorus/],
  ])('%s', async (_, content, message) => {
    await expect(restored(content())).rejects.toThrow(message)
    expect(await ownerQuery(target.url, 'select 1 from accounts')).toEqual([])
  })
})

test('a database with accounts is refused as a target and left unchanged', async () => {
  const used = await fresh()
  await ownerQuery(used.url, `insert into accounts values ('mine', now(), now(), 'Mine', 'active')`)
  const before = await fixture.allRows(used.url)
  await expect(restored(whole, used.url)).rejects.toThrow('already holds accounts')
  const moved = move({ from: source.url, to: used.url, migrationFolders, now, version })
  await expect(moved).rejects.toThrow('already holds accounts')
  expect(await fixture.allRows(used.url)).toEqual(before)
})

test('a database of another application is refused as target and as source', async () => {
  const other = await fresh()
  await ownerQuery(other.url, 'drop table migrations')
  await expect(restored(whole, other.url)).rejects.toThrow('not of Chorus')
  await expect(backup({ url: other.url, file: join(folder, 'other.gz'), now, version })).rejects.toThrow(
    'not one of Chorus',
  )
})

test('a row that the target rejects rolls back the whole restore', async () => {
  const strict = await fresh()
  await ownerQuery(strict.url, `alter table users add constraint strict check (id <> '1999')`)
  await expect(restored(whole, strict.url)).rejects.toThrow(/Loading the table users failed: .*strict/)
  expect(await ownerQuery(strict.url, 'select 1 from accounts')).toEqual([])
})

test('a backup that fails leaves no file', async () => {
  const file = join(folder, 'missing', 'backup.gz')
  await expect(backup({ url: source.url, file, now, version })).rejects.toThrow('its folder does not exist')
  await expect(backup({ url: source.url, file: folder, now, version })).rejects.toThrow('could not be written')
  expect((await readdir(tmpdir())).filter((name) => name.endsWith('.partial'))).toEqual([])
})

test('a backup is refused for a user who is subject to row-level security', async () => {
  const foreign = await fixture.plainOwnersDatabase(source.url)
  made.push(foreign)
  const { username, password } = new URL(foreign.url)
  await ownerQuery(source.url, `grant select on all tables in schema public to ${username}`)
  const url = Object.assign(new URL(source.url), { username, password }).href
  await expect(backup({ url, file: join(folder, 'hidden.gz'), now, version })).rejects.toThrow('does not see every row')
  await ownerQuery(source.url, `revoke all on all tables in schema public from ${username}`)
})
