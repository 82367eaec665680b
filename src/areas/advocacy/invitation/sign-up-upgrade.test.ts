import { expect, inject, test } from 'vitest'
import { newToken } from '#areas/account/session/session.ts'
import { migrate } from '#kernel/database/schema/migrate.ts'
import { plainOwnersDatabase } from '#kernel/database/transfer/transfer.fixture.ts'
import { keyDigest } from '#kernel/identities.ts'
import { migrationFolders } from '#main/project.ts'
import { caller } from '../../../../tests/support/caller.ts'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService } from '../../../../tests/support/service.ts'

const account = '001upgrade00000'
const [board, other] = ['brdupgrade00001', 'brdupgrade00002']
const admin = '00Aupgrade00001'

test('an upgrade frees the seats of unconfirmed sign-ups, and their old links take them now', async () => {
  const database = await plainOwnersDatabase(inject('serverUrl'))
  const write = (text: string, values: unknown[] = []) => ownerQuery(database.url, text, values)
  await migrate(database.url, migrationFolders, () => {}, '0036-saved-views.sql')
  await write(`insert into accounts (id, created, modified, name, number) values ($1, now(), now(), 'Old', 7)`, [
    account,
  ])
  const user = async (id: string, role: string | null = null, passwordHash: string | null = null) => {
    const email = `${id}@Example.com`
    await write(
      `insert into users (account_id, id, created, modified, first_name, last_name, email, role, password_hash)
       values ($1, $2, now(), now(), 'Some', 'Body', $3, $4, $5)`,
      [account, id, email, role, passwordHash],
    )
    await write('insert into user_emails (email, account, user_id) values (lower($1), $2, $3)', [email, account, id])
    return id
  }
  await user(admin, 'admin')
  await write(
    `insert into api_keys (account_id, id, user_id, created, name, digest) values ($1, 'keyupgrade00001', $2, now(), 'k', $3)`,
    [account, admin, keyDigest('the key')],
  )
  for (const [id, slug] of [
    [board, 'old'],
    [other, 'older'],
  ])
    await write(
      `insert into boards (account_id, id, created, modified, created_by, modified_by, name, seats, members, sign_up_enabled, slug)
       values ($1, $2, now(), now(), $3, $3, $4, 3, 0, true, $4)`,
      [account, id, admin, slug],
    )
  const member = async (boardId: string, userId: string, invitedBy: string, accepted: string | null) => {
    await write(
      `insert into board_members (account_id, board_id, user_id, created, invited_by, invited, accepted, role)
       values ($1, $2, $3, now(), $4, now(), $5, 'contributor')`,
      [account, boardId, userId, invitedBy, accepted],
    )
    await write('update boards set members = members + 1 where id = $1', [boardId])
  }
  const [invited, joined, both, newcomer, late] = [
    await user('00Ainvited00001'),
    await user('00Ajoined000001'),
    await user('00Aboth00000001'),
    await user('00Astranger0001'),
    await user('00Alate00000001'),
  ] as [string, string, string, string, string]
  await member(board, invited, admin, null)
  await member(board, joined, '', '2026-01-01')
  await member(other, both, admin, '2026-01-01')
  for (const id of [both, newcomer, late]) await member(board, id, '', null)
  await write(
    `insert into figures (account_id, of_kind, of_id, name, value, last) values ($1, 'account', $1, 'advocates', 5, now())`,
    [account],
  )
  const tokenFor = async (userId: string) => {
    const { token, digest } = newToken(account)
    await write(
      `insert into sign_in_links (account_id, user_id, purpose, created, ends, digest)
       values ($1, $2, 'invitation', now(), now() + interval '14 days', $3)`,
      [account, userId, digest],
    )
    return token
  }
  const [first, second] = [await tokenFor(newcomer), await tokenFor(late)]

  await migrate(database.url, migrationFolders)
  const service = await startTestService({ databaseUrl: database.url, environment: { CHORUS_ROLES: 'api' } })
  const ask = caller(service.url, account, 'the key')
  const state = async () => {
    const { json } = await ask('GET /advocate', { query: `boardId=${board}` })
    const { UsersCount } = (await ask(`GET /board/${board}`)).json.Board
    const signUps = (await ask(`GET /app/api/boards/${board}/sign-up`)).json.Items
    return {
      members: json.Items.map(({ Id }: { Id: string }) => Id).sort(),
      counted: [json.Total, UsersCount, (await ask('GET /advocate')).json.Total],
      signUps: signUps.map(({ Email, Status }: { Email: string; Status: string }) => `${Email} ${Status}`).sort(),
    }
  }
  expect(await state()).toEqual({
    members: [invited, joined],
    counted: [2, 2, 3],
    signUps: [both, late, newcomer].map((id) => `${id}@Example.com unconfirmed`),
  })

  const accept = (token: string) =>
    fetch(`${service.url}/app/api/board/invitation`, {
      method: 'POST',
      body: new URLSearchParams({ token, password: 'over the green hill' }),
    })
  expect((await accept(first)).status).toBe(200)
  expect((await accept(second)).status).toBe(200)
  expect(await state(), 'the last seat is taken once; later sign-ups wait').toEqual({
    members: [invited, joined, newcomer],
    counted: [3, 3, 4],
    signUps: [`${both}@Example.com unconfirmed`, `${late}@Example.com waiting`],
  })
  await service.stop()
  await database.drop()
})
