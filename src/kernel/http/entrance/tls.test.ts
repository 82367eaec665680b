import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../../tests/support/service.ts'

const certificate = 'tests/fixtures/localhost-cert.pem'
let service: TestService
beforeAll(async () => {
  const environment = {
    ...{ CHORUS_TLS_CERT: certificate, CHORUS_TLS_KEY: 'tests/fixtures/localhost-key.pem', CHORUS_ROLES: 'api' },
  }
  service = await startTestService({ environment })
})
afterAll(() => service.stop())

test('with a certificate the service speaks TLS itself', async () => {
  const url = new URL(service.url)
  expect(url.protocol).toBe('https:')
  const status = await new Promise((resolve, reject) => {
    const options = { ca: readFileSync(certificate), auth: `${demoAccount}:${demoKey}`, servername: 'localhost' }
    const call = request(`${service.url}/v2/me`, options, (response) => resolve(response.statusCode))
    call.on('error', reject)
    call.end()
  })
  expect(status).toBe(200)
})

test('and no longer plain HTTP', async () => {
  await expect(fetch(service.url.replace('https:', 'http:'))).rejects.toThrow()
})
