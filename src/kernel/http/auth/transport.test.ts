import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { transportGuard } from './transport.ts'

/** A request as the guard receives it; connections from other machines can't be made on a single one. */
const request = (remoteAddress: string, headers: Record<string, string> = {}, encrypted = false) =>
  ({ socket: { remoteAddress, encrypted }, headers }) as unknown as IncomingMessage
const allowed = (guard: ReturnType<typeof transportGuard>, ...args: Parameters<typeof request>) => {
  try {
    guard(request(...args))
    return true
  } catch (error) {
    expect((error as Error).message).toContain('HTTPS only')
    return false
  }
}

describe('plain HTTP', () => {
  const guard = transportGuard({ trustedProxies: ['10.1.0.0/16', 'fd00::7'], allowHttp: false })

  test.each([
    ['127.0.0.1', {}, true],
    ['127.8.8.8', {}, true],
    ['::1', {}, true],
    ['::ffff:127.0.0.1', {}, true],
    ['192.168.1.5', {}, false],
    ['::ffff:192.168.1.5', {}, false],
    ['2001:db8::1', {}, false],
    ['192.168.1.5', { 'x-forwarded-proto': 'https' }, false],
    ['10.1.2.3', { 'x-forwarded-proto': 'https' }, true],
    ['fd00::7', { 'x-forwarded-proto': 'https' }, true],
    ['10.1.2.3', { 'x-forwarded-proto': 'http' }, false],
    ['10.1.2.3', { 'x-forwarded-proto': 'https, http' }, true],
    ['10.1.2.3', {}, false],
    ['10.2.2.3', { 'x-forwarded-proto': 'https' }, false],
  ])('from %s with %j is accepted: %s', (address, headers, expected) => {
    expect(allowed(guard, address, headers as Record<string, string>)).toBe(expected)
  })

  test('a local proxy that reports plain HTTP is trusted', () => {
    const local = transportGuard({ trustedProxies: ['127.0.0.1'], allowHttp: false })
    expect(allowed(local, '127.0.0.1', { 'x-forwarded-proto': 'http' })).toBe(false)
    expect(allowed(local, '127.0.0.1', { 'x-forwarded-proto': 'https' })).toBe(true)
    expect(allowed(local, '127.0.0.1')).toBe(true)
  })

  test('TLS is always accepted, and a setting allows plain HTTP', () => {
    expect(allowed(guard, '192.168.1.5', {}, true)).toBe(true)
    expect(allowed(transportGuard({ trustedProxies: [], allowHttp: true }), '192.168.1.5')).toBe(true)
  })
})
