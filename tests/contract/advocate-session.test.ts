import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOpen } from '#kernel/http/route/endpoint.ts'
import { appEndpoints, downloads, endpoints, intakes, streams } from '#main/endpoints.ts'
import { type Caller, sessionCaller } from '../support/caller.ts'
import { ownerQuery } from '../support/database/owner.ts'
import { demoAccount, startTestService, type TestService } from '../support/service.ts'
import { newAdvocate } from './examples.ts'

/** What an advocate may do: share, and be signed in. Whatever else there is refuses them before it looks at anything. */

let service: TestService
let ask: Caller
let cookie = ''
beforeAll(async () => {
  service = await startTestService({ environment: { CHORUS_ROLES: 'api' } })
  const secret = 'a'.repeat(43)
  // Links are mailed and nowhere else to be seen, so that a row of its own stands in for one.
  await ownerQuery(
    service.databaseUrl,
    `insert into sign_in_links (account_id, user_id, purpose, created, ends, digest)
    values ($1, $2, 'invitation', now(), now() + interval '1 hour', sha256($3::text::bytea))`,
    [demoAccount, await newAdvocate(service), secret],
  )
  const body = new URLSearchParams({ token: `${demoAccount}.${secret}`, password: 'a password of the tests' })
  const response = await fetch(`${service.url}/app/api/board/invitation`, { method: 'POST', body })
  cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  ask = sessionCaller(service.url, cookie)
  expect((await ask('GET /app/api/session')).json.User?.Role).toBe('advocate')
})
afterAll(() => service.stop())

const own = ['enter', 'share']
const guarded = [...endpoints, ...appEndpoints].filter((endpoint) => !isOpen(endpoint))
const addressOf = (path: string) => path.replace(/\{\w+\}/g, 'absent')

describe('with their session an advocate', () => {
  test.each(guarded.filter(({ base }) => base === '/v2'))('is nobody to $method /v2$path', async ({ method, path }) => {
    const headers = { cookie, 'sec-fetch-site': 'same-origin' }
    expect((await fetch(`${service.url}/v2${addressOf(path)}`, { method, headers })).status).toBe(401)
    expect((await ask(`${method} /app/api/v2${addressOf(path)}`)).status).toBe(403)
  })

  test.each(guarded.filter(({ base }) => base !== '/v2'))(
    'gets from $method /app/api$path what it needs',
    async ({ method, path, needs }) => {
      // The session itself is ended by nobody.
      if (`${method} ${path}` === 'DELETE /session') return
      const { status } = await ask(`${method} /app/api${addressOf(path)}`)
      if (own.includes(needs)) expect([401, 403]).not.toContain(status)
      else expect(status).toBe(403)
    },
  )

  test('has no feed and sends no files', async () => {
    for (const { path } of [...downloads, ...streams])
      expect((await ask(`GET /app/api${addressOf(path)}`)).status, path).toBe(403)
    for (const { path } of intakes) expect((await ask(`PUT /app/api${addressOf(path)}`)).status, path).toBe(403)
  })
})

test('nothing of the contract is the advocates’', () => {
  expect(endpoints.filter(({ needs }) => own.includes(needs))).toEqual([])
})
