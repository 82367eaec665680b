import { expect, test } from 'vitest'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import type { PushRequest } from '../connector/connector.ts'
import { manifest } from './manifest.ts'
import { pushBody, pushed, receivedAt, seconds, secret } from './tiktok.fixture.ts'
import { openTikTok } from './tiktok.ts'

const outbound = openOutbound({ allow: [] })
const app = { ...manifest.app, clientId: 'a', clientSecret: secret, options: {} }
const tiktok = openTikTok(app, { outbound, clock: { now: () => receivedAt } })
const verdictOf = (request: PushRequest) => tiktok.verifyPush(request)

test('a push that was changed anywhere is rejected', () => {
  const good = pushBody('authorization.removed', '{"reason":1}')
  const header = good.headers['tiktok-signature'] ?? ''
  expect(verdictOf(good).ok).toBe(true)
  for (let index = 0; index < good.raw.length; index += 1) {
    const raw = Buffer.from(good.raw)
    raw[index] = (raw[index] ?? 0) ^ 1
    expect(verdictOf({ ...good, raw })).toEqual({ ok: false, status: 401, reason: 'The signature is wrong.' })
  }
  for (let index = 0; index < header.length; index += 1) {
    const changed = header.slice(0, index) + String.fromCharCode(header.charCodeAt(index) ^ 1) + header.slice(index + 1)
    expect(verdictOf({ ...good, headers: { 'tiktok-signature': changed } })).toMatchObject({ ok: false, status: 401 })
  }
  for (const raw of [good.raw.subarray(1), good.raw.subarray(0, -1), Buffer.concat([good.raw, Buffer.from(' ')])]) {
    expect(verdictOf({ ...good, raw })).toMatchObject({ ok: false, status: 401 })
  }
  for (const other of [undefined, '', header.toUpperCase(), `${header} `, header.replace(',', ', '), `${header},s=1`]) {
    expect(verdictOf({ ...good, headers: { 'tiktok-signature': other } })).toMatchObject({ ok: false, status: 401 })
  }
  expect(verdictOf(pushed(good.raw, { key: 'another' }))).toMatchObject({ ok: false, status: 401 })
})

test.each([
  [-300, true],
  [-301, false],
  [300, true],
  [301, false],
])('a signature %i seconds away from now is accepted: %s', (offset, ok) => {
  expect(verdictOf(pushed('{"content":"{}"}', { time: seconds + offset })).ok).toBe(ok)
})

test.each(['', 'x', '[]', '5', '{"content":"x"}', '{"content":"[]"}', Uint8Array.of(0xff, 0xfe)])(
  'a correctly signed but unreadable body is a bad request: %s',
  (body) => {
    const verdict = verdictOf(pushed(body))
    expect(verdict).toEqual({ ok: false, status: 400, reason: 'The body cannot be read.' })
  },
)

test('TikTok sends no handshake', () => {
  expect(verdictOf({ ...pushed(''), method: 'GET' })).toMatchObject({ ok: false, status: 400 })
})
