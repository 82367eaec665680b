import { checkExpressions } from './expressions/complaints.ts'
import { sourceFiles } from './expressions/find.ts'

const sources = sourceFiles()
const { expressions, complaints } = checkExpressions(sources)

if (complaints.length > 0) {
  console.error(`Regular expressions that a text from outside could keep busy:\n${complaints.join('\n')}`)
  process.exitCode = 1
} else
  console.log(
    `${expressions.length} regular expressions in ${sources.length} files take time in proportion to the text.`,
  )
