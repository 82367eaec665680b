import { afterAll, beforeAll, expect, test } from 'vitest'
import { browser } from '../../../tests/support/browser.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'
import { type Publishing, profiles, startPublishing } from '../../../tests/support/publishing.ts'
import { demoAccount, demoKey, startTestService } from '../../../tests/support/service.ts'

let publishing: Publishing
beforeAll(async () => {
  publishing = await startPublishing({ environment: { CHORUS_ROLES: 'api' } })
})
afterAll(() => publishing.stop())

const day = 24 * 60 * 60
const now = () => Math.floor(Date.now() / 1000)
const authorization = `Basic ${Buffer.from(`${demoAccount}:${demoKey}`).toString('base64')}`
const set = (id: string, values: string) =>
  ownerQuery(publishing.databaseUrl, `update credentials set ${values} where account_id = $1 and id = $2`, [
    demoAccount,
    id,
  ])
const health = async (id: string) => (await publishing.publisher(`GET /app/api/credential/${id}/health`)).json.Health
const all = async () =>
  (await publishing.reader('GET /app/api/credential-health')).json.Items as {
    Id: string
    State: string
    PostsAtRisk: number
  }[]
const planned = async (after: number, credentialIds: string, campaignId?: string) => {
  const message = { message: 'At risk', ...(campaignId && { campaignId }) }
  return (await publishing.post('Facebook', credentialIds, message, { startDateTime: now() + after })).Id
}

test('the health of a profile names its state, the reason and the posts at risk', async () => {
  const id = profiles.facebook
  const [soon, later] = [await planned(2 * day, id), await planned(9 * day, id)]
  expect(await health(id)).toMatchObject({ State: 'fine', Reason: '', PostsAtRisk: 0, Posts: [], Network: 'Facebook' })

  await set(id, `expires_on = now() + interval '6 days'`)
  const ending = await health(id)
  expect(ending).toMatchObject({ State: 'ending', Reason: expect.stringContaining('connect it again') })
  const ids = ({ Posts }: { Posts: { Id: string }[] }) => Posts.map(({ Id }) => Id)
  expect(ids(ending)).toContain(later)
  expect(ids(ending)).not.toContain(soon)

  const campaign = await publishing.campaign('Of others')
  const hidden = await planned(day, id, campaign)
  await publishing.admin(`POST /team-entity/${campaign}`, { body: { teamIds: '025demo00000002' } })
  await set(id, `status = 'invalid', status_reason = 'The password was changed.', invalid_since = now()`)
  const broken = await health(id)
  expect(broken).toMatchObject({ State: 'broken', Reason: 'The password was changed.', HiddenPosts: 1 })
  expect(broken.Since).not.toBe('0000-00-00 00:00:00')
  expect(ids(broken)).toEqual(expect.arrayContaining([soon, later]))
  expect(ids(broken)).not.toContain(hidden)
  const listed = await all()
  expect(listed.find(({ Id }) => Id === id)).toMatchObject({ State: 'broken', PostsAtRisk: broken.PostsAtRisk })
  expect(listed.map(({ State }) => State).indexOf('fine')).toBeGreaterThan(listed.map(({ Id }) => Id).indexOf(id))
  expect((await publishing.otherAdmin(`GET /app/api/credential/${id}/health`)).status).toBe(404)
})

test('reconnecting a broken profile in the console returns to the profile', async () => {
  const id = profiles.facebook
  await set(id, `status = 'invalid', status_reason = 'gone', invalid_since = now()`)
  const networks = (await publishing.reader('GET /app/api/network')).json.Items
  const { Path } = networks.find(({ Network }: { Network: string }) => Network === 'Facebook')
  const person = browser()
  const begin = () => person.visit(`${publishing.url}${Path}&credential=${id}`, { headers: { authorization } })
  const denied = await person.visit(`${(await begin()).location}&decision=deny`)
  expect((await person.visit(denied.location ?? '')).location).toBe(`${publishing.url}/app/profiles?refused=Facebook`)
  const consented = await person.visit(`${(await begin()).location}&auto=1`)
  const back = await person.visit(consented.location ?? '')
  expect([back.status, back.location]).toEqual([
    303,
    `${publishing.url}/app/profiles?${new URLSearchParams({ connected: id })}`,
  ])
  expect(await health(id)).toMatchObject({ State: 'fine', Since: '0000-00-00 00:00:00' })
})

test('profiles found by a login are selected in the console, only by the same user and only once', async () => {
  const url = `${publishing.url}/app/connect/LinkedIn?console=1`
  for (const id of ['003-1-2414183', '003-1-2414184']) await publishing.admin(`DELETE /credential/${id}`)
  const person = browser()
  const begun = await person.visit(url, { headers: { authorization } })
  const consented = await person.visit(`${begun.location}&auto=1`)
  const { location } = await person.visit(consented.location ?? '')
  const offer = new URL(location ?? '').searchParams.get('offer') ?? ''
  const { json } = await publishing.admin(`GET /app/api/connect-offer/${offer}`)
  expect(json).toMatchObject({ Network: 'LinkedIn', Items: expect.arrayContaining([expect.anything()]) })
  expect(json.Items.map(({ RemoteId }: { RemoteId: string }) => RemoteId).sort()).toEqual(['2414183', '2414184'])
  expect(JSON.stringify(json)).not.toMatch(/token|secret/i)
  expect((await publishing.otherAdmin(`GET /app/api/connect-offer/${offer}`)).status).toBe(404)
  expect((await publishing.publisher(`GET /app/api/connect-offer/${offer}`)).status).toBe(403)
  const choose = () => publishing.admin(`POST /app/api/connect-offer/${offer}`, { body: { remoteIds: ['2414184'] } })
  expect((await choose()).json.Items).toMatchObject([{ Id: '003-1-2414184', Name: 'Northwind Careers' }])
  expect((await choose()).status).toBe(404)
  expect((await publishing.admin('GET /credential/003-1-2414183')).status).toBe(404)
})

test('the picture of a profile is served by the service, resized and re-encoded', async () => {
  const picture = async (id: string) => {
    const response = await fetch(`${publishing.url}/app/api/picture/profile/${id}`, { headers: { authorization } })
    return { status: response.status, type: response.headers.get('content-type'), size: (await response.blob()).size }
  }
  const link = `http://127.0.0.1:${new URL(publishing.sandbox.url).port}/facebook/profiles/100200300400501/picture`
  await set(profiles.facebook, `image_link = '${link}'`)
  const first = await picture(profiles.facebook)
  expect([first.status, first.type]).toEqual([200, 'image/webp'])
  expect(first.size).toBeLessThan(20_000)
  // The picture is cached, and URLs without a usable picture return 404.
  await set(profiles.facebook, `image_link = '${link}'`)
  expect(await picture(profiles.facebook)).toEqual(first)
  for (const other of [
    'http://169.254.169.254/latest',
    `http://127.0.0.1:${new URL(publishing.sandbox.url).port}/nothing`,
  ]) {
    await set(profiles.facebook, `image_link = '${other}'`)
    expect((await picture(profiles.facebook)).status).toBe(404)
  }
  expect((await picture('003-1-absent')).status).toBe(404)
})

test('without an app for a network the response names the settings that the operator has to add', async () => {
  const bare = await startTestService({ databaseUrl: publishing.databaseUrl, environment: { CHORUS_ROLES: 'api' } })
  const { json } = await bare.reader(`GET /app/api/credential/${profiles.x}/health`)
  expect(json.Health).toMatchObject({ State: 'no-app', Reason: expect.stringContaining('CHORUS_X_CLIENT_ID') })
  const [first] = (await bare.reader('GET /app/api/network')).json.Items
  expect(first).toMatchObject({ HasApp: 0, Settings: [expect.any(String), expect.any(String)] })
  await bare.stop()
})
