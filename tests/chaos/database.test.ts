import { afterEach, expect, test } from 'vitest'
import { databaseKills } from '../../chaos/database/kills.ts'
import { endPrograms } from '../support/program.ts'

afterEach(endPrograms)

// A tenth of each run of `npm run chaos`; docs/reliability.md has the whole ones, and how long it takes.

test('every write that was answered is there once, though the database is killed twice and frozen once', async () => {
  const report = await databaseKills({ kills: 2, freezes: 1, freezeSeconds: 20, seed: 7 })
  expect(report).toMatchObject({
    writes: { lost: 0, doubled: 0 },
    posts: { lost: 0, doubled: 0 },
    clicks: { lost: 0, doubled: 0, writtenTwice: 0 },
    reads: { vanished: 0 },
    exits: 0,
  })
  expect(report.writes.answered).toBeGreaterThan(20)
  expect(Object.keys(report.setbacks).filter((name) => name !== '503' && name !== '409')).toEqual([])
}, 400_000)

test('the harness sees damage: a database that answers before its commits are on the disk loses writes', async () => {
  const report = await databaseKills({ kills: 2, freezes: 0, seed: 7, forgetful: true })
  expect(report.writes.lost + report.reads.vanished + report.clicks.lost).toBeGreaterThan(0)
}, 400_000)
