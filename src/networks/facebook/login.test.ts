import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Connector } from '../connector/connector.ts'
import { faultOf, type MetaSandbox, metaSandbox, publishAll } from '../graph/graph.fixture.ts'
import { openNetworks } from '../networks.ts'
import { openFacebook } from './facebook.ts'

const day = 86_400_000
let sandbox: MetaSandbox
let facebook: Connector
beforeAll(async () => {
  sandbox = await metaSandbox()
  facebook = openFacebook(sandbox.app('Facebook'), sandbox.world)
})
afterAll(() => sandbox.close())

const redirectUri = 'http://127.0.0.1:1/back'
async function consent(): Promise<string> {
  const url = facebook.authorizeUrl({ state: 's 1', redirectUri, verifier: 'v' })
  const back = new URL((await sandbox.call(`${url}&auto=1`)).headers.get('location') ?? '').searchParams
  expect(back.get('state')).toBe('s 1')
  return back.get('code') ?? ''
}

test('a login opens every page of the person, with a token that outlives the login', async () => {
  await sandbox.control('/profile', {
    network: 'Facebook',
    kind: 'page',
    name: 'Northwind Two',
    account: '100200300400900',
  })
  const grants = await facebook.exchangeCode({ code: await consent(), redirectUri, verifier: 'v' })
  expect(grants.map(({ name }) => name).sort()).toEqual(['Northwind Outdoor', 'Northwind Two'])
  const grant = grants.find(({ remoteId }) => remoteId === '100200300400501') ?? grants[0]
  if (!grant) throw new Error('There is no page.')
  expect(grant).toMatchObject({
    network: 'Facebook',
    kind: 'page',
    username: 'northwindoutdoor',
    parentRemoteId: '100200300400900',
    picture: expect.stringContaining('/picture'),
  })
  expect(grant.secret.scopes).toContain('pages_manage_posts')
  const days = ((grant.secret.expiresAt?.getTime() ?? 0) - sandbox.clock.now().getTime()) / day
  expect(Math.round(days)).toBe(90)
  sandbox.move(70 * day)
  const made = await publishAll(sandbox, facebook, grant, { text: 'Long after', media: [] })
  expect((await sandbox.ledger('network=Facebook&kind=post')).at(-1).remoteId).toBe(made.remoteId)
})

test('pages accessible only through a business portfolio are opened too, without duplicates', async () => {
  await sandbox.control('/reset', {})
  const account = '100200300400900'
  const page = (name: string, more: object) =>
    sandbox.control('/profile', { network: 'Facebook', kind: 'page', name, account, ...more })
  await page('Owned', { business: '7700', access: 'owned' })
  await page('Client', { business: '7700', access: 'client' })
  await page('Other client', { business: '7701', access: 'client' })
  await page('Not ours', { business: '7701', access: 'owned', tasks: ['NONE'] })
  const login = { code: await consent(), redirectUri, verifier: 'v' }
  const names = (await facebook.exchangeCode(login)).map(({ name }) => name)
  expect(names.sort()).toEqual(['Client', 'Northwind Outdoor', 'Other client', 'Owned'])
})

test('missing permissions on a page are reported before anything is sent', async () => {
  await sandbox.control('/reset', {})
  const account = '100200300400900'
  const made = { network: 'Facebook', kind: 'page', name: 'Looking only', account, tasks: ['ANALYZE', 'MESSAGING'] }
  await sandbox.control('/profile', made)
  const grants = await facebook.exchangeCode({ code: await consent(), redirectUri, verifier: 'v' })
  const grant = grants.find(({ name }) => name === 'Looking only')
  if (!grant) throw new Error('There is no page.')
  const can = facebook.capabilities(grant)
  expect([can.text, can.reply]).toEqual([
    { gated: expect.stringContaining('CREATE_CONTENT') },
    { gated: expect.stringContaining('MODERATE') },
  ])
  expect([can.directMessage, can.postMetrics]).toEqual(['yes', 'yes'])
  sandbox.usages.length = 0
  const guarded = openNetworks({ Facebook: sandbox.app('Facebook') }, sandbox.world).connector('Facebook') as Connector
  const refused = await faultOf(publishAll(sandbox, guarded, grant, { text: 'No', media: [] }))
  expect(refused).toEqual({ kind: 'permanent', why: 'permission' })
  expect(sandbox.usages).toEqual([])
  const all = grants.find(({ name }) => name === 'Northwind Outdoor') ?? grant
  expect(facebook.capabilities(all).text).toBe('yes')
  expect(facebook.capabilities({ ...all, secret: { ...all.secret, scopes: [] } }).text).toBe('yes')
})

test('a used code and a wrong app secret are rejected with different faults', async () => {
  const code = await consent()
  await facebook.exchangeCode({ code, redirectUri, verifier: 'v' })
  expect(await faultOf(facebook.exchangeCode({ code, redirectUri, verifier: 'v' }))).toMatchObject({ why: 'input' })
  const wrong = openFacebook({ ...sandbox.app('Facebook'), clientSecret: 'wrong' }, sandbox.world)
  const login = wrong.exchangeCode({ code: await consent(), redirectUri, verifier: 'v' })
  expect(await faultOf(login)).toMatchObject({ kind: 'permanent', why: 'config' })
})

test('a page token is never refreshed and requires a new login', async () => {
  const reconnect = { kind: 'token', remedy: 'reconnect' }
  expect(await faultOf(facebook.refreshToken(sandboxActor('Facebook')))).toEqual(reconnect)
  await sandbox.control('/token', { network: 'Facebook', profile: '100200300400501', action: 'password' })
  expect(await faultOf(facebook.profile(sandboxActor('Facebook')))).toEqual(reconnect)
})
