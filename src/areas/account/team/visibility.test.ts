import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Context } from '#kernel/context.ts'
import { type OpenPage, paginateOrAll } from '#kernel/database/paginate.ts'
import { missing } from '#kernel/errors.ts'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { shape, text } from '#kernel/wire/fields.ts'
import { everything, listParams, sortBy } from '#kernel/wire/list-params.ts'
import { pathId } from '#kernel/wire/params.ts'
import { item, list } from '#kernel/wire/replies.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { openPatientDatabase } from '../../../../tests/support/database/patient-database.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { scopeIds } from '../declarations.ts'
import { isShownTo, visibleAmong, withinTeams } from './visibility.ts'

/**
 * A resource of this test, declared like any other: campaigns are rows of the teams table here, because visibility only needs a column with
 * an id.
 */
const visible = (context: Context) =>
  context.db
    .selectFrom('teams')
    .selectAll()
    .where('accountId', '=', context.accountId)
    .where('id', 'like', '002%')
    .where(withinTeams(context, 'teams.id'))
const Campaign = shape('Thing', { Id: text, Name: text })
const endpoints = [
  endpoint('GET /thing', {
    summary: 'List',
    needs: 'read',
    params: listParams({}, { count: everything, order: sortBy({ created: 'date', name: 'text' }, 'name,1') }),
    reply: list(Campaign),
    run: (context: Context, { page }: { page: OpenPage }) =>
      paginateOrAll(context.db, visible(context), page, { size: 10 }),
  }),
  endpoint('GET /thing/{id}', {
    summary: 'Get',
    needs: 'read',
    params: z.object({ id: pathId(scopeIds.campaign) }),
    reply: item('Thing', Campaign),
    run: async (context: Context, { id }: { id: string }) => {
      const found = await visible(context).where('id', '=', id).executeTakeFirst()
      if (!found) throw missing('Thing')
      return found
    },
  }),
]

const [europe, asia, open, unseen] = ['025demo00000001', '025demo00000002', '002open00000000', '002europe000000']
let service: TestService
beforeAll(async () => {
  service = await startTestService({ endpoints, environment: { CHORUS_ROLES: 'api' } })
  const insert = 'insert into teams (account_id, id, created, modified, name) values ($1, $2, now(), now(), $2)'
  for (const id of [open, unseen, '002asia00000000', '002both00000000'])
    await ownerQuery(service.databaseUrl, insert, ['001demo00000001', id])
  const assign = `insert into team_entities (account_id, entity_id, team_id, created) values ('001demo00000001', $1, $2, now())`
  for (const [entity, team] of [
    [unseen, europe],
    ['002asia00000000', asia],
    ['002both00000000', europe],
    ['002both00000000', asia],
  ]) {
    await ownerQuery(service.databaseUrl, assign, [entity, team])
  }
})
afterAll(() => service.stop())

const names = async (as: TestService['admin']): Promise<string[]> =>
  (await as('GET /thing')).json.Items.map((thing: { Id: string }) => thing.Id)

describe('an entity that a user may see', () => {
  test('has no team, or one of the user’s; an admin sees all', async () => {
    expect(await names(service.admin)).toEqual([
      '002asia00000000',
      '002both00000000',
      '002europe000000',
      '002open00000000',
    ])
    expect(await names(service.publisher), 'in Europe').toEqual([
      '002both00000000',
      '002europe000000',
      '002open00000000',
    ])
    expect(await names(service.reader), 'in Asia Pacific').toEqual([
      '002asia00000000',
      '002both00000000',
      '002open00000000',
    ])
    expect(await names(service.contributor), 'in no team').toEqual(['002open00000000'])
  })

  test('is counted the same way on every page', async () => {
    const { json } = await service.publisher('GET /thing', { query: '_count=2&_page=1' })
    expect([json.Items.length, json.Total]).toEqual([1, 3])
  })

  test('is the only kind found: others respond like absent ones', async () => {
    const hidden = await service.reader(`GET /thing/${unseen}`)
    const absent = await service.reader('GET /thing/002absent000000')
    expect([hidden.status, hidden.text]).toEqual([404, absent.text])
    expect((await service.publisher(`GET /thing/${unseen}`)).status).toBe(200)
    expect((await service.otherAdmin(`GET /thing/${open}`)).text).toBe(absent.text)
  })

  test('is the same for many users and entities in one query', async () => {
    const kept = '002kept00000000'
    await ownerQuery(
      service.databaseUrl,
      `insert into restricted_entities (account_id, entity_id, created) values ('001demo00000001', $1, now())`,
      [kept],
    )
    const users = ['2', '3', '4'].map((number) => `00Ademo0000000${number}`)
    const entities = [open, unseen, '002asia00000000', '002both00000000', kept]
    const database = openPatientDatabase({ url: service.databaseUrl, connections: 1 })
    const db = database.forAccount('001demo00000001')
    const sees = await visibleAmong(db, '001demo00000001', users, entities)
    const { rows } = await sql<{ user: string; entity: string; isSeen: boolean }>`
      select u as user, e as entity, ${isShownTo({ accountId: '001demo00000001' }, sql`u`, sql`e`)} as is_seen
      from unnest(${users}::text[]) u, unnest(${entities}::text[]) e`.execute(db)
    await database.close()
    expect(rows.map(({ user, entity }) => sees(user, entity))).toEqual(rows.map(({ isSeen }) => isSeen))
    expect(new Set(rows.map(({ isSeen }) => isSeen)).size).toBe(2)
  })

  test('changes with the next call after its teams change', async () => {
    await ownerQuery(service.databaseUrl, `delete from team_entities where entity_id = '00Ademo00000002'`)
    expect(await names(service.publisher)).toEqual(['002open00000000'])
  })
})
