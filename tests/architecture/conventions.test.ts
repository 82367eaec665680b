import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sources = ['src', 'console']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))))
  .filter((name) => /\.tsx?$/.test(name) && !/\.(test|fixture)\.ts$/.test(name))
  .map((name) => ({ name, text: readFileSync(name, 'utf8') }))

test('only the clock reads the current time', () => {
  const clockRead = /Date\.now\(\)|new Date\(\)/
  const readers = sources.filter(({ text }) => clockRead.test(text)).map(({ name }) => name)
  expect(readers).toEqual(['src/kernel/clock.ts', 'console/time/days.ts'])
  for (const planted of ['const now = new Date()', 'since(Date.now())'])
    expect(clockRead.test(planted), planted).toBe(true)
})

test('only route.ts registers routes', () => {
  const routeRegistration = /\bserver\.(route|get|post|put|delete|patch|head|options|all)\(/
  expect(sources.filter(({ text }) => routeRegistration.test(text)).map(({ name }) => name)).toEqual([
    'src/kernel/http/route/route.ts',
  ])
  expect(routeRegistration.test(`server.get('/beside', () => 'the guard')`), 'detects a route').toBe(true)
})

test('only authentication, guard and page read credentials from headers', () => {
  const credentialRead = /headers\W+(\w+\W+)?(authorization|cookie)\b/
  for (const planted of [
    'request.headers.cookie',
    'const { headers: { authorization } } = request',
    `headers['cookie']`,
  ])
    expect(credentialRead.test(planted), planted).toBe(true)
  const read = sources.filter(({ text }) => credentialRead.test(text))
  expect(read.map(({ name }) => name).filter((name) => name.startsWith('src/kernel/http/'))).toEqual([
    'src/kernel/http/auth/authentication.ts',
    'src/kernel/http/auth/guard.ts',
    'src/kernel/http/route/page.ts',
  ])
})
