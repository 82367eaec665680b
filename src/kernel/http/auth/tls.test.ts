import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoAccount, demoKey, startTestService, type TestService } from '../../../../tests/support/service.ts'

const certificate = 'tests/fixtures/localhost-cert.pem'
let service: TestService
beforeAll(async () => {
  const environment = {
    CHORUS_TLS_CERT: certificate,
    CHORUS_TLS_KEY: 'tests/fixtures/localhost-key.pem',
    CHORUS_ROLES: 'api',
  }
  service = await startTestService({ environment })
})
afterAll(() => service.stop())

test('with a certificate the service serves TLS itself, with HSTS for one year', async () => {
  const url = new URL(service.url)
  expect(url.protocol).toBe('https:')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { ca: readFileSync(certificate), auth: `${demoAccount}:${demoKey}`, servername: 'localhost' }
    const call = request(`${service.url}/v2/me`, options, resolve)
    call.on('error', reject)
    call.end()
  })
  response.resume()
  expect([response.statusCode, response.headers['strict-transport-security']]).toEqual([200, 'max-age=31536000'])
})

test('with a certificate the service no longer serves plain HTTP', async () => {
  await expect(fetch(service.url.replace('https:', 'http:'))).rejects.toThrow()
})
