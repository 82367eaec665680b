import { type Expression, expressionsIn } from './find.ts'
import { slownessOf } from './judge.ts'

export interface Judged {
  /** All occurrences, including duplicates. */
  expressions: Expression[]
  /** Expressions that external input could make slow, and those that can't be analysed. */
  complaints: string[]
}

/** Every regular expression of these files must run in linear time, because it may be applied to external input. */
export function judgeAll(files: readonly string[]): Judged {
  const judged: Judged = { expressions: [], complaints: [] }
  const known = new Map<string, string | undefined>()
  const judge = ({ source, flags }: Expression) => {
    const name = `/${source}/${flags}`
    if (!known.has(name)) known.set(name, slownessOf({ source, flags }))
    return known.get(name)
  }
  for (const file of files) {
    const { expressions, unknown } = expressionsIn(file)
    for (const expression of expressions) {
      judged.expressions.push(expression)
      const slowness = judge(expression)
      if (slowness) judged.complaints.push(`${expression.place} /${expression.source}/${expression.flags} ${slowness}`)
    }
    for (const place of unknown)
      judged.complaints.push(
        `${place} is put together while the program runs; write it so that it can be judged, or without one`,
      )
  }
  return judged
}
