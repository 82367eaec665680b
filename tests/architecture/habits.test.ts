import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const sources = ['src', 'console']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))))
  .filter((name) => /\.tsx?$/.test(name) && !/\.(test|fixture)\.ts$/.test(name))
  .map((name) => ({ name, text: readFileSync(name, 'utf8') }))

test('time comes from the clock, so that tests can set it', () => {
  const asking = /Date\.now\(\)|new Date\(\)/
  const askers = sources.filter(({ text }) => asking.test(text)).map(({ name }) => name)
  expect(askers).toEqual(['src/kernel/clock.ts', 'console/time/days.ts'])
  for (const planted of ['const now = new Date()', 'since(Date.now())'])
    expect(asking.test(planted), planted).toBe(true)
})

test('every route goes through the gate', () => {
  const made = /\bserver\.(route|get|post|put|delete|patch|head|options|all)\(/
  expect(sources.filter(({ text }) => made.test(text)).map(({ name }) => name)).toEqual([
    'src/kernel/http/route/route.ts',
  ])
  expect(made.test(`server.get('/beside', () => 'the gate')`), 'a planted one is seen').toBe(true)
})

test('credentials are read in one place', () => {
  const reading = /headers\W+(\w+\W+)?(authorization|cookie)\b/
  for (const planted of [
    'request.headers.cookie',
    'const { headers: { authorization } } = request',
    `headers['cookie']`,
  ])
    expect(reading.test(planted), planted).toBe(true)
  const read = sources.filter(({ text }) => reading.test(text))
  expect(read.map(({ name }) => name).filter((name) => name.startsWith('src/kernel/http/'))).toEqual([
    'src/kernel/http/auth/authentication.ts',
    'src/kernel/http/auth/guard.ts',
    'src/kernel/http/route/page.ts',
  ])
})
