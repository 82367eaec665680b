import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import { appEndpoints, endpoints } from '#main/registry.ts'

/** All parameters of the contract and the console's API, with their operations. */
const parameters = [...endpoints, ...appEndpoints].flatMap(({ method, path, params }: Endpoint) => {
  const object = (params instanceof z.ZodPipe ? params.in : params) as z.ZodObject
  return Object.entries(object.shape).map(([name, reader]) => {
    return { name, method, of: `${method} ${path} ${name}`, takes: (raw: unknown) => z.safeParse(reader, raw).success }
  })
})
const named = (pattern: RegExp) => parameters.filter(({ name }) => pattern.test(name))

test('date parameters accept every documented format, and reject dates that do not exist', () => {
  const dates = named(/date|^after$|^before$|^since$/i)
  expect(dates.length).toBeGreaterThan(10)
  for (const { of, takes } of dates) {
    for (const good of ['2030-08-31', '2030-08-31 09:30:00', '2030-08-31T09:30:00', '2030-08-31T09:30:00Z'])
      expect(takes(good), `${of}=${good}`).toBe(true)
    for (const good of ['2030-08-31 09:30:00+02:00', '1914399000', 1914399000]) expect(takes(good), of).toBe(true)
    for (const bad of ['2030-02-30', '31.08.2030', '1914399000000', '-1', 'soon']) expect(takes(bad), of).toBe(false)
  }
})

test('URL parameters accept only http and https URLs with a host', () => {
  const addresses = named(/url$|^source$|^resource$/i).filter(
    ({ method, of }) => method !== 'GET' && !/(post|widget|widget\/\{id\}|report) source/i.test(of),
  )
  expect(addresses.length).toBeGreaterThan(8)
  for (const { of, takes } of addresses) {
    for (const good of ['https://example.com', 'http://10.0.0.1:8080/a?b#c']) expect(takes(good), of).toBe(true)
    for (const bad of [
      'example.com/a',
      'ftp://example.com',
      'javascript:alert(1)',
      'https://',
      'https:///a',
      'http://a b',
    ])
      expect(takes(bad), `${of}=${bad}`).toBe(false)
  }
})
