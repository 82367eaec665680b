import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase } from '../../../tests/support/database/database.ts'
import { isDuplicate } from './database.ts'
import { ownerQuery } from './owner.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

const errorOf = (text: string) =>
  ownerQuery(database.url, text).then(
    () => expect.unreachable('it is refused'),
    (error: unknown) => error,
  )

/** An error as a cluster relays it from a node. */
const passedOn = (name: string, code = 'unique_violation') =>
  errorOf(
    `do $$ begin raise ${code} using message = 'duplicate key value violates unique constraint "${name}"'; end $$`,
  )

test('a unique violation is identified by the name of its index', async () => {
  const error = await errorOf(`insert into migrations (name, checksum) select name, checksum from migrations limit 1`)
  expect(isDuplicate(error, 'migrations_pkey')).toBe(true)
  expect(isDuplicate(error, 'migrations')).toBe(false)
})

test('on a cluster the index name is parsed from the message, which includes a shard number', async () => {
  const error = await passedOn('tags_by_tag_102145')
  expect(error).not.toHaveProperty('constraint', expect.anything())
  expect(isDuplicate(error, 'tags_by_tag')).toBe(true)
  for (const other of ['tags', 'tags_by', 'by_tag', 'tags_by_tag_1', 'users_by_email'])
    expect(isDuplicate(error, other), other).toBe(false)
  expect(isDuplicate(await passedOn('tags_by_tag'), 'tags_by_tag')).toBe(true)
  expect(isDuplicate(await passedOn('tags_by_tag_of_102145'), 'tags_by_tag')).toBe(false)
  expect(isDuplicate(await passedOn('tags_by_tag_102145', 'check_violation'), 'tags_by_tag')).toBe(false)
})
