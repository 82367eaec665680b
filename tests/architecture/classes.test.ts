import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** The console's stylesheets and what they are for: a class that only one side knows is a mistake of the other. */

const read = (ending: string) =>
  readdirSync('console', { recursive: true })
    .map((name) => join('console', String(name)))
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(name, 'utf8'))

/** Of `className="a b"`, and of every word in `className={…}`. */
function usedIn(text: string): string[] {
  const given = [...text.matchAll(/className=(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\})/g)]
  const words = given.map(([, plain, computed]) => plain ?? literalsOf(computed ?? ''))
  words.push(...[...text.matchAll(/classList\.\w+\('([\w-]+)'/g)].map(([, name = '']) => name))
  return words.flatMap((list) => list.split(/\s+/)).filter((word) => /^[a-z][a-z0-9-]*$/.test(word))
}

const literalsOf = (computed: string): string =>
  [...computed.replace(/\$\{[^}]*\}/g, (part) => ` ${literalsOf(part.slice(2, -1))} `).matchAll(/'([^']*)'|`([^`]*)`/g)]
    .map(([, plain = '', template = '']) => `${plain} ${template}`)
    .join(' ')

/** Of every selector. */
function styledIn(text: string): string[] {
  const withoutComments = text.replace(/\/\*[\s\S]*?\*\//g, '')
  const selectors = [...withoutComments.matchAll(/([^{};]+)\{/g)].map(([, selector = '']) => selector)
  return selectors
    .filter((one) => !one.trim().startsWith('@'))
    .flatMap((one) => [...one.matchAll(/\.([a-z][a-z0-9-]*)/g)].map(([, name = '']) => name))
}

test('every class has its style, and every style its class', () => {
  const used = new Set([...read('.tsx'), ...read('.ts')].flatMap(usedIn))
  const styled = new Set(read('.css').flatMap(styledIn))
  expect(
    [...used].filter((name) => !styled.has(name)),
    'without a style',
  ).toEqual([])
  expect(
    [...styled].filter((name) => !used.has(name)),
    'of nothing',
  ).toEqual([])
  expect(used.size).toBeGreaterThan(100)
})

test('what is planted is seen', () => {
  expect(usedIn(`<p className="one two" /><b className={isOn ? 'three' : \`four \${more}\`} />`)).toEqual([
    'one',
    'two',
    'three',
    'four',
  ])
  expect(
    styledIn('@layer x { .one { & .two:hover, .three { color: red } } @media (min-width: 1.5rem) { .four { } } }'),
  ).toEqual(['one', 'two', 'three', 'four'])
})

test('colours stand in tokens.css, and in the signs of networks, which are theirs', () => {
  const colour = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(/i
  const named = readdirSync('console', { recursive: true })
    .map(String)
    .filter((name) => /\.(css|tsx)$/.test(name) && colour.test(readFileSync(join('console', name), 'utf8')))
  expect(named.sort()).toEqual(['tokens.css', 'ui/badges.css', 'ui/badges.tsx'])
})
