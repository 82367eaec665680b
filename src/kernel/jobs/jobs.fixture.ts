import type pg from 'pg'
import { accountIds } from '#areas/account/declarations.ts'
import { newId } from '../ids.ts'
import { type Job, job } from './job.ts'

export const account = '001demo00000001'

export const rowsOf = async <Row extends object>(owner: pg.Client, text: string) => (await owner.query<Row>(text)).rows

export const effects = (owner: pg.Client) =>
  rowsOf<{ name: string }>(owner, `select name from teams where name like 'effect %' order by created, id`).then(
    (rows) => rows.map(({ name }) => name),
  )

/** A job with a countable effect: it writes a row with its name to the demo account. */
export const effect: Job<{ name: string }> = job('tests.write-effect', {
  queue: 'housekeeping',
  retryDelays: [1000, 60_000],
  async run({ complete, now }, { name }) {
    await complete(account, async ({ db }) => {
      const row = {
        accountId: account,
        id: newId(accountIds.team, now),
        created: now,
        modified: now,
        name: `effect ${name}`,
      }
      await db.insertInto('teams').values(row).execute()
    })
  },
})
