import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('only tokens.css defines colors, except for network icons', () => {
  const color = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i
  const files = readdirSync('console', { recursive: true })
    .map(String)
    .filter((name) => /\.(css|tsx)$/.test(name) && color.test(readFileSync(join('console', name), 'utf8')))
  expect(files.sort()).toEqual(['tokens.css', 'ui/badges.module.css', 'ui/badges.tsx'])
})
