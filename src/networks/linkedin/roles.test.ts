import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulatedUser } from '../../../sandbox/sandbox.fixture.ts'
import type { Activity, Actor, Page } from '../connector/connector.ts'
import { draftOf, errorOf, linkedInSandbox } from './linkedin.fixture.ts'

let linkedIn: Awaited<ReturnType<typeof linkedInSandbox>>
/** A page whose member is known not to be an administrator, and one stored without a role. */
let editor: Actor
let unknown: Actor
beforeAll(async () => {
  linkedIn = await linkedInSandbox()
  const { page, control } = linkedIn
  await control('/profile', {
    network: 'LinkedIn',
    kind: 'page',
    id: '2414190',
    account: 'aDaM4demo1',
    name: 'Northwind Trails',
    username: 'northwind-trails',
    role: 'CONTENT_ADMINISTRATOR',
  })
  unknown = { ...page, remoteId: '2414190', username: 'northwind-trails' }
  editor = { ...unknown, tier: 'CONTENT_ADMINISTRATOR' }
})
afterAll(() => linkedIn.close())

const said = (text: string, postRemoteId: string, parentId?: string) => {
  linkedIn.pass(1_000)
  const what = { kind: 'comment', from: simulatedUser, push: false, postRemoteId, parentId, text }
  return linkedIn.inject({ network: 'LinkedIn', profile: '2414190', ...what })
}
const all = async (actor: Actor) => {
  const items: Activity[] = []
  for (let cursor: string | undefined; ; ) {
    const page: Page<Activity> = await linkedIn.connector.fetchInbox(actor, cursor)
    items.push(...page.items)
    cursor = page.cursor
    if (cursor === undefined) return items
  }
}

test('a login stores the member’s role on each page', async () => {
  const { connector } = linkedIn
  const redirectUri = 'http://127.0.0.1:1/back'
  const url = connector.authorizeUrl({ state: 's', redirectUri, verifier: '' })
  const { headers } = await linkedIn.call(`${url}&auto=1`)
  const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
  const grants = await connector.exchangeCode({ code, redirectUri, verifier: '' })
  expect(grants.map(({ remoteId, tier }) => [remoteId, tier])).toEqual([
    ['aDaM4demo1', undefined],
    ['2414183', 'ADMINISTRATOR'],
    ['2414184', 'ADMINISTRATOR'],
    ['2414190', 'CONTENT_ADMINISTRATOR'],
  ])
})

test('a member who is no administrator gets comments under recent posts instead of notifications', async () => {
  const texts: string[] = []
  for (let index = 0; index < 7; index++) {
    const { remoteId } = await linkedIn.publish(editor, draftOf(`Trail ${index}`))
    linkedIn.pass(60_000)
    if (index === 3) continue
    const { remoteId: parentId } = await said(`Nice ${index}`, remoteId)
    await said(`Really ${index}`, remoteId, parentId)
    texts.push(`Nice ${index}`, `Really ${index}`)
  }
  for (const actor of [editor, unknown]) {
    const items = await all(actor)
    expect(items.map(({ text }) => text).sort()).toEqual(texts.toSorted())
    expect(new Set(items.map(({ dedupeKey }) => dedupeKey)).size).toBe(items.length)
    expect(items.find(({ text }) => text === 'Really 0')).toMatchObject({
      kind: 'reply',
      from: { id: simulatedUser.id },
    })
  }
  const { items } = await linkedIn.connector.fetchInbox(editor)
  expect(items.map(({ at }) => at.getTime())).toEqual(items.map(({ at }) => at.getTime()).toSorted((a, b) => b - a))
})

test('pushes, metrics and followers require administrators', async () => {
  const { connector, page } = linkedIn
  const gated = { gated: expect.stringContaining('administrator') }
  expect(connector.capabilities(editor)).toMatchObject({ push: gated, postMetrics: gated })
  expect(connector.capabilities({ ...page, tier: 'ADMINISTRATOR' }).postMetrics).toBe('yes')
  const error = await errorOf(connector.subscribePush(editor, 'https://chorus.example/push/linkedin'))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'unsupported' })
  expect(error.message).toContain('administrator')
})

test('metrics restricted to administrators are omitted, likes and comments are not', async () => {
  const { remoteId } = await linkedIn.publish(editor, draftOf('Counted trail'))
  linkedIn.pass(86_400_000)
  await said('One', remoteId)
  const numbers = (await linkedIn.connector.metrics(editor, [remoteId])).get(remoteId)
  expect(numbers).toMatchObject({ comments: 1, likes: expect.any(Number) })
  expect(numbers?.impressions).toBeUndefined()
})

test('a page without access to notifications and comments reports the role that is required to connect it', async () => {
  const denied = { status: 403, serviceErrorCode: 100, code: 'ACCESS_DENIED', message: 'Not enough permissions' }
  const unconnectedPage = { ...unknown, remoteId: '2414184', username: 'northwind-careers' }
  const { remoteId: postRemoteId } = await linkedIn.publish(unconnectedPage, draftOf('Nobody may read this'))
  const what = { kind: 'comment', from: simulatedUser, push: false, postRemoteId, text: 'Hello?' }
  await linkedIn.inject({ network: 'LinkedIn', profile: unconnectedPage.remoteId, ...what })
  for (let times = 0; times < 3; times++) await linkedIn.answer('inbox', 403, denied)
  const error = await errorOf(linkedIn.connector.fetchInbox(unconnectedPage))
  expect(error.fault).toEqual({ kind: 'permanent', why: 'permission' })
  expect(error.message).toContain('administrator of the page')
  await linkedIn.forget()
})

test('messages without access do not block comments', async () => {
  const { connector, page } = linkedIn
  const { remoteId } = await linkedIn.publish(page, draftOf('Comments but no messages'))
  await linkedIn.inject({
    network: 'LinkedIn',
    profile: page.remoteId,
    kind: 'comment',
    from: simulatedUser,
    push: false,
    postRemoteId: remoteId,
    text: 'Hello',
  })
  await linkedIn.control('/profile', {
    network: 'LinkedIn',
    kind: 'page',
    id: page.remoteId,
    account: 'aDaM4demo1',
    name: 'Northwind Outdoor',
    username: page.username,
    tier: 'self-serve',
    accessToken: page.secret.accessToken,
  })
  const { items } = await connector.fetchInbox(page)
  expect(items.map(({ text }) => text)).toContain('Hello')
})
