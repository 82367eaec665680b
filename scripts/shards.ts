import { readFileSync } from 'node:fs'
import { allowed } from '../tests/support/statements/allowed.ts'

/** One line of the log that a run on a cluster writes to TEST_SHARDS: `npx tsx scripts/shards.ts <file>` summarizes it. */
interface Line {
  source: string
  text: string
  tasks?: number
  refused?: string
}

const [file] = process.argv.slice(2)
if (!file) throw new Error('Name the file that TEST_SHARDS named.')

/** Statements that differ only in their number of rows or values count as one. */
const shapeOf = (text: string) =>
  text
    .replace(/\$\d+/g, '?')
    .replace(/\s+/g, ' ')
    .replace(/\?(, \?)+/g, '?')
    .replace(/(\(\?\))(, \(\?\))+/g, '$1')
    .trim()

const statements = new Map<string, Line>()
for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
  const read = JSON.parse(line) as Line
  const shape = shapeOf(read.text)
  const known = statements.get(shape)
  if (!known || (read.tasks ?? -1) > (known.tasks ?? -1)) statements.set(shape, read)
}
const all = [...statements.values()]
const several = all.filter(({ tasks = 0 }) => tasks > 1)
const purposeOf = ({ text }: Line) => /\/\* across accounts: ([^*]+) \*\//.exec(text)?.[1]

console.log(`${all.length} statements`)
console.log(`  with the coordinator alone  ${all.filter(({ tasks }) => tasks === 0).length}`)
console.log(`  to one shard                ${all.filter(({ tasks }) => tasks === 1).length}`)
console.log(`  to several                  ${several.length}`)
console.log(`  not explained               ${all.filter(({ tasks }) => tasks === undefined).length}`)
for (const one of several) {
  const purpose = purposeOf(one)
  console.log(`\nto several: ${one.source}: ${purpose ? `${purpose}. ${allowed[purpose]}` : 'NO REASON GIVEN'}`)
  console.log(`  ${shapeOf(one.text).slice(0, 300)}`)
}
for (const { source, text, refused } of all.filter((one) => one.refused !== undefined))
  console.log(`\nnot explained: ${source}: ${refused}\n  ${shapeOf(text).slice(0, 300)}`)
