import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { simulatedUser } from '../sandbox.fixture.ts'
import { author, day, draft, page, startLinkedInSandbox, token, versioned } from './linkedin.fixture.ts'

const secret = 'sandbox-linkedin-secret'
const linkedIn = startLinkedInSandbox()
const { rest, post } = linkedIn

test('a small audience is rejected, and members cannot target', async () => {
  const targeted = (author: string) =>
    draft('For few', {
      author,
      distribution: {
        feedDistribution: 'MAIN_FEED',
        targetEntities: [
          {
            industries: ['urn:li:industry:4'],
            seniorities: ['urn:li:seniority:9'],
            jobFunctions: ['urn:li:function:3'],
          },
        ],
      },
    })
  expect((await rest('/rest/posts', targeted('urn:li:organization:2414184'))).status).toBe(422)
  expect((await rest('/rest/posts', targeted('urn:li:person:aDaM4demo1'))).status).toBe(422)
  expect((await rest('/rest/posts', targeted(author))).status).toBe(201)
})

test('a missing API version returns 400, an expired one 426', async () => {
  const ask = (headers: Record<string, string>) =>
    linkedIn.sandbox.call('/linkedin/rest/organizationAcls?q=roleAssignee', { token, headers })
  expect((await ask({})).status).toBe(400)
  expect((await ask({ 'linkedin-version': '202501' })).status).toBe(426)
  expect((await ask(versioned)).body.elements.length).toBe(2)
})

test('a refresh keeps the refresh token and its expiry; a revoked token has its own error', async () => {
  const redirect_uri = 'http://127.0.0.1:1/back'
  const app = { client_id: 'sandbox-linkedin-client', client_secret: secret }
  const query = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri,
    response_type: 'code',
    scope: 'r_basicprofile w_member_social rw_organization_admin',
    auto: '1',
  })
  const allowed = await linkedIn.sandbox.call(`/linkedin/oauth/v2/authorization?${query}`)
  const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const trade = (form: Record<string, string>) =>
    linkedIn.sandbox.call('/linkedin/oauth/v2/accessToken', { form: { ...app, ...form } })
  const first = (await trade({ grant_type: 'authorization_code', code, redirect_uri })).body
  await linkedIn.sandbox.advance(61 * day)
  const who = (bearer: string) => linkedIn.sandbox.call('/linkedin/v2/me', { token: bearer })
  expect((await who(first.access_token)).body.serviceErrorCode).toBe(65602)
  const second = (await trade({ grant_type: 'refresh_token', refresh_token: first.refresh_token })).body
  expect(second.refresh_token).toBe(first.refresh_token)
  expect(second.refresh_token_expires_in).toBe(first.refresh_token_expires_in - 61 * 86_400)
  expect((await who(second.access_token)).body.id).toBe('aDaM4demo1')
  await linkedIn.sandbox.control('/token', { network: 'LinkedIn', profile: 'aDaM4demo1', action: 'revoke' })
  expect((await who(second.access_token)).body).toMatchObject({ status: 401, serviceErrorCode: 65601 })
  expect((await trade({ grant_type: 'refresh_token', refresh_token: first.refresh_token })).body.error).toBe(
    'invalid_grant',
  )
})

test('an app is granted the scopes of its products only', async () => {
  const ask = async (scope: string, products?: string) => {
    await linkedIn.sandbox.control('/app', { network: 'LinkedIn', products })
    const redirect_uri = 'http://127.0.0.1:1/back'
    const query = { client_id: 'sandbox-linkedin-client', redirect_uri, response_type: 'code', scope, auto: '1' }
    const answer = await linkedIn.sandbox.call(`/linkedin/oauth/v2/authorization?${new URLSearchParams(query)}`)
    return new URL(answer.headers.get('location') ?? '').searchParams.get('error')
  }
  expect(await ask('r_basicprofile w_organization_social_feed')).toBe(null)
  expect(await ask('openid profile w_member_social')).toBe('unauthorized_scope_error')
  expect(await ask('openid profile w_member_social', 'share')).toBe(null)
  expect(await ask('openid w_organization_social', 'share')).toBe('unauthorized_scope_error')
  expect(await ask('openid w_organization_social', 'share-advertising')).toBe(null)
  expect(await ask('w_organization_social_feed', 'share-advertising')).toBe('unauthorized_scope_error')
  await linkedIn.sandbox.control('/app', { network: 'LinkedIn' })
})

test('notifications and statistics are for administrators of the page', async () => {
  await linkedIn.sandbox.control('/clock', { now: '2026-11-20T10:00:00Z' })
  const page = { network: 'LinkedIn', kind: 'page', id: '2414191', account: 'aDaM4demo1', name: 'Trails' }
  await linkedIn.sandbox.control('/profile', { ...page, role: 'CONTENT_ADMINISTRATOR' })
  const urn = encodeURIComponent('urn:li:organization:2414191')
  const { elements } = (await rest('/rest/organizationAcls?q=roleAssignee')).body
  expect(elements.map(({ role }: { role: string }) => role)).toContain('CONTENT_ADMINISTRATOR')
  const notices = `/rest/organizationalEntityNotifications?q=criteria&organizationalEntity=${urn}`
  expect((await rest(notices)).status).toBe(403)
  expect((await rest(`/rest/posts?q=author&author=${urn}`)).status).toBe(200)
})

test('messages of the page are read and replied to', async () => {
  await linkedIn.sandbox.control('/clock', { now: '2026-11-20T10:00:00Z' })
  const { threadId } = await linkedIn.sandbox.inject({
    network: 'LinkedIn',
    profile: page,
    kind: 'message',
    from: simulatedUser,
    text: 'Hi',
  })
  const read = await rest(`/v2/messages?q=mailbox&owner=${encodeURIComponent(author)}`)
  expect(read.body.elements[0]).toMatchObject({ thread: threadId, body: 'Hi', direction: 'INBOUND' })
  const recipients = [`urn:li:person:${simulatedUser.id}`]
  const sent = await rest('/v2/messages', {
    sender: author,
    recipients,
    subject: '',
    body: 'Yes',
    messageType: 'MEMBER_TO_MEMBER',
  })
  expect(sent.status).toBe(201)
  expect((await linkedIn.sandbox.ledger('network=LinkedIn&kind=message'))[0]).toMatchObject({ text: 'Yes', threadId })
})

test('notifications are pushed, signed over the prefixed body, after the challenge', async () => {
  const hmac = (text: string) => createHmac('sha256', secret).update(text).digest('hex')
  linkedIn.receiver.answer = ({ query }) => {
    const challengeCode = query.get('challengeCode') ?? ''
    return { status: 200, body: JSON.stringify({ challengeCode, challengeResponse: hmac(challengeCode) }) }
  }
  const key = `(developerApplication:urn:li:developerApplication:1,user:urn:li:person:aDaM4demo1,entity:${author},eventType:ORGANIZATION_SOCIAL_ACTION_NOTIFICATIONS)`
  const put = await rest(
    `/rest/eventSubscriptions/${encodeURIComponent(key)}`,
    { webhook: `${linkedIn.receiver.url}/push` },
    'PUT',
  )
  expect(put.status).toBe(204)
  const urn = await post('Pushed')
  const { remoteId } = await linkedIn.sandbox.inject({
    network: 'LinkedIn',
    profile: page,
    kind: 'comment',
    postRemoteId: urn,
    from: simulatedUser,
    text: 'So',
  })
  const push = await linkedIn.receiver.next()
  expect(push?.headers['x-li-signature']).toBe(hmac(`hmacsha256=${push?.raw}`))
  expect(JSON.parse(push?.raw ?? '').notifications[0]).toMatchObject({
    action: 'COMMENT',
    sourcePost: urn,
    generatedActivity: remoteId,
  })
})
