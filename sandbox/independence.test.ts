import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('the sandbox imports nothing from the service', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const serviceImports = files.flatMap((name) => {
    const text = readFileSync(join(import.meta.dirname, name), 'utf8')
    const sources = [...text.matchAll(/from '([^']+)'/g)].map((match) => match[1] ?? '')
    return sources
      .filter((source) => source.startsWith('#') || source.includes('/src/'))
      .map((source) => `${name}: ${source}`)
  })
  expect(files.length).toBeGreaterThan(50)
  expect(serviceImports).toEqual([])
})
