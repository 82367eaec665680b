import { type Expression, expressionsIn } from './find.ts'
import { slownessOf } from './judge.ts'

export interface ExpressionReport {
  /** All occurrences, including duplicates. */
  expressions: Expression[]
  /** Expressions that external input could make slow, and those that can't be analysed. */
  complaints: string[]
}

/** Every regular expression of these files must run in linear time, because it may be applied to external input. */
export function checkExpressions(files: readonly string[]): ExpressionReport {
  const report: ExpressionReport = { expressions: [], complaints: [] }
  const known = new Map<string, string | undefined>()
  const cachedSlowness = ({ source, flags }: Expression) => {
    const name = `/${source}/${flags}`
    if (!known.has(name)) known.set(name, slownessOf({ source, flags }))
    return known.get(name)
  }
  for (const file of files) {
    const { expressions, unknown } = expressionsIn(file)
    for (const expression of expressions) {
      report.expressions.push(expression)
      const slowness = cachedSlowness(expression)
      if (slowness)
        report.complaints.push(`${expression.location} /${expression.source}/${expression.flags} ${slowness}`)
    }
    for (const place of unknown)
      report.complaints.push(
        `${place} is put together while the program runs; write it so that it can be judged, or without one`,
      )
  }
  return report
}
