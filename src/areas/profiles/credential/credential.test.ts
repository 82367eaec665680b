import { afterAll, beforeAll, expect, test } from 'vitest'
import { ownerQuery } from '../../../../tests/support/database/owner.ts'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => service.stop())

interface Shown {
  Id: string
  Network: string
  Status: string
  NetworkAccountId: string
}

const list = async (query = ''): Promise<Shown[]> => (await service.admin('GET /credential', { query })).json.Items

test('the demo has a valid profile on every network, two LinkedIn pages, a member, an invalid one, WeChat and Xing', async () => {
  const valid = await list()
  expect(new Set(valid.map(({ Network }) => Network))).toEqual(
    new Set(['Facebook', 'Instagram', 'LinkedIn', 'Twitter', 'YouTube', 'TikTok', 'WeChat', 'Xing']),
  )
  expect(valid.filter(({ Network }) => Network === 'LinkedIn').map(({ NetworkAccountId }) => NetworkAccountId)).toEqual(
    expect.arrayContaining(['2414183', '2414184', 'aDaM4demo1']),
  )
  const all = await list('includeInvalid=1')
  expect(all.filter(({ Status }) => Status === 'invalid').map(({ Network }) => Network)).toEqual(['Facebook'])
  expect(all.length).toBe(valid.length + 1)
})

test('a profile is returned with exactly the fields of the contract, without its secret', async () => {
  const { json, text } = await service.reader('GET /credential/003-1-2414183')
  expect(json.Credential).toEqual({
    Id: '003-1-2414183',
    Created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    Name: 'Northwind Outdoor',
    DisplayName: 'Northwind Outdoor',
    Status: 'valid',
    Network: 'LinkedIn',
    ImageLink: expect.any(String),
    NetworkUsername: 'northwind-outdoor',
    NetworkAccountId: '2414183',
    NativePostsEnabled: 1,
  })
  expect(text).not.toMatch(/secret|access|token/i)
  const rows = await ownerQuery<{ secret: string }>(
    service.databaseUrl,
    'select secret from credentials where secret is not null',
  )
  expect(rows.length).toBeGreaterThan(6)
  for (const { secret } of rows) expect(secret).toMatch(/^v1:\w+:[\w-]+$/)
})

test('profiles are filtered by network, in any spelling', async () => {
  for (const [word, network] of [
    ['x', 'Twitter'],
    ['Youtube', 'YouTube'],
    ['LINKEDIN', 'LinkedIn'],
    ['Twitter', 'Twitter'],
  ]) {
    const found = await list(`network=${word}`)
    expect(new Set(found.map(({ Network }) => Network))).toEqual(new Set([network]))
  }
  const { status, json } = await service.admin('GET /credential', { query: 'network=MySpace' })
  expect(status).toBe(400)
  expect(json.Errors.API.Error).toContain('LinkedIn, Twitter, YouTube, Instagram, Facebook, WeChat, Xing, TikTok')
})

test('all profiles are returned unless a page is requested', async () => {
  const all = await list('includeInvalid=1')
  const { json } = await service.admin('GET /credential', { query: 'includeInvalid=1&_count=3&_page=1' })
  expect([json.Items.length, json.Total]).toEqual([3, all.length])
  expect(json.Items).toEqual(all.slice(3, 6))
  expect((await service.admin('GET /credential', { query: '_count=101' })).status).toBe(400)
})

test('a display name can be set, separately from the name, and removed', async () => {
  const change = async (body: object) =>
    (await service.publisher('PUT /credential/003-1-2414184', { body })).json.Credential
  expect(await change({ displayName: 'Jobs' })).toMatchObject({ Name: 'Northwind Careers', DisplayName: 'Jobs' })
  expect(await change({ nativePostsEnabled: 0 })).toMatchObject({ DisplayName: 'Jobs', NativePostsEnabled: 0 })
  expect(await change({ displayName: '' })).toMatchObject({ DisplayName: 'Northwind Careers', NativePostsEnabled: 0 })
  expect(
    (await service.publisher('PUT /credential/003-1-2414184', { body: { nativePostsEnabled: 'perhaps' } })).status,
  ).toBe(400)
  expect((await service.reader('PUT /credential/003-1-2414184', { body: { displayName: 'Mine' } })).status).toBe(403)
})

test('an admin deletes a profile with its secret and presets; its row stays for published posts', async () => {
  const id = '003-1-100200300400777'
  expect((await service.publisher(`DELETE /credential/${id}`)).status).toBe(403)
  expect((await service.admin(`DELETE /credential/${id}`)).json).toEqual({ Result: true })
  for (const route of ['GET', 'PUT', 'DELETE'])
    expect((await service.admin(`${route} /credential/${id}`)).status).toBe(404)
  expect((await list('includeInvalid=1')).map(({ Id }) => Id)).not.toContain(id)
  const [row] = await ownerQuery<{ secret: string | null }>(
    service.databaseUrl,
    'select secret from credentials where id = $1',
    [id],
  )
  expect(row).toEqual({ secret: null })
})
