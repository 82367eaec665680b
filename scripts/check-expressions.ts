import { expressionsIn, sourceFiles } from './expressions/find.ts'
import { slownessOf } from './expressions/judge.ts'

// Every regular expression of the sources takes time in proportion to the text it meets: texts come from outside.
const sources = sourceFiles()

const complaints: string[] = []
let seen = 0
for (const file of sources) {
  const { expressions, unknown } = expressionsIn(file)
  for (const { place, source, flags } of expressions) {
    seen++
    const slowness = slownessOf({ source, flags })
    if (slowness) complaints.push(`${place} /${source}/${flags} ${slowness}`)
  }
  for (const place of unknown)
    complaints.push(
      `${place} is put together while the program runs; write it so that it can be judged, or without one`,
    )
}

if (complaints.length > 0) {
  console.error(`Regular expressions that a text from outside could keep busy:\n${complaints.join('\n')}`)
  process.exitCode = 1
} else console.log(`${seen} regular expressions in ${sources.length} files take time in proportion to the text.`)
