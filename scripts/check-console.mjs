// Part of `npm run check`: the compressed size of the console's files against their limits, and that they contain no examples.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildConsole } from '../bin/build-console.mjs'

const kibibyte = 1024
/** In KiB. */
const allowed = { first: 110, screen: 25, style: 20, font: 50 }

await buildConsole()
const folder = 'dist/console'
const { first, later, style } = JSON.parse(readFileSync(join(folder, 'parts.json'), 'utf8'))
const sizeOf = (name) => statSync(join(folder, 'assets', name)).size / kibibyte
const together = (names) => names.reduce((sum, name) => sum + sizeOf(`${name}.gz`), 0)
const font = readdirSync(join(folder, 'assets')).find((name) => name.startsWith('inter-latin-wght-'))

const found = [
  ['what the console begins with', together(first), allowed.first],
  ['the stylesheet', together([style]), allowed.style],
  ['the font', sizeOf(font), allowed.font],
  ...Object.entries(later).map(([source, names]) => [source, together(names), allowed.screen]),
]
const tooLarge = found.filter(([, size, most]) => size > most)
for (const [name, size, most] of tooLarge)
  process.stdout.write(`${name} is ${size.toFixed(1)} KiB compressed; ${most} are allowed\n`)
process.stdout.write(`The console begins with ${together(first).toFixed(1)} KiB of ${allowed.first}.\n`)

const files = new Set([...first, style, ...Object.values(later).flat()])
const sourcesOf = (name) => JSON.parse(readFileSync(join(folder, 'assets', `${name}.map`), 'utf8')).sources
const examples = [...files].flatMap(sourcesOf).filter((source) => source.includes('console/gallery/'))
for (const source of examples) process.stdout.write(`${source} is part of the console, but belongs to the gallery\n`)
process.exitCode = tooLarge.length > 0 || examples.length > 0 ? 1 : 0
