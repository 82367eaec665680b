import { changeRules } from './change-rules.ts'
import { gaugesOf, inner, isValue, type Level, listOf, type Tree, type Use, visit, wordsOf } from './levels.ts'
import type { Place } from './statement-log.ts'

/**
 * Everything in a statement that a cluster would reject or execute incorrectly, and what to write instead; `parsed` is the parser's tree.
 */
export function findingsIn(parsed: unknown, places: ReadonlyMap<string, Place>): string[] {
  const levels = gaugesOf(parsed)
  const keyOf = (use: Use) => {
    const place = places.get(use.table)
    return typeof place === 'object' ? place.key : undefined
  }
  const isElsewhere = (use: Use) => places.get(use.table) === 'elsewhere'
  const touched = levels.flatMap(({ uses, changed }) => (changed ? [...uses, changed] : uses))
  if (!touched.some(keyOf)) return unsupported(parsed)

  const found = unsupported(parsed)
  for (const level of levels) {
    const { uses, changed, node } = level
    for (const use of uses) {
      const key = keyOf(use)
      if (key && !isHeld(level, use, key, keyOf))
        found.push(withoutAccount(use, key, listOf(node.lockingClause).length > 0))
    }
    const key = changed && keyOf(changed)
    if (key) found.push(...changeRules(level, changed, key))
    if (uses.some(isElsewhere)) found.push(...apart(level, uses.some(keyOf), uses.filter(isElsewhere)))
    found.push(...ownFindings(level))
    if (touched.some(isElsewhere)) found.push(...subqueriesOfExists(level, levels, isElsewhere))
  }
  return [...new Set(found)]
}

/** `x.account_id = $1` among the conditions of this level. */
function isHeld(level: Level, use: Use, key: string, keyOf: (use: Use) => string | undefined): boolean {
  const isOnly = level.uses.filter((other) => keyOf(other) === key).length === 1
  const names = (side: unknown) => {
    const words = wordsOf(inner(side, 'ColumnRef')?.fields)
    return words.length === 1 ? isOnly && words[0] === key : words.at(-2) === use.name && words.at(-1) === key
  }
  return level.conditions.some(({ expression, of }) => {
    if (of && !of.has(use.name)) return false
    const { kind, name, lexpr, rexpr } = inner(expression, 'A_Expr') ?? {}
    if (wordsOf(name)[0] !== '=') return false
    if (kind === 'AEXPR_OP') return (names(lexpr) && isValue(rexpr)) || (names(rexpr) && isValue(lexpr))
    // Work is claimed for as many accounts as a statement may name: on a cluster, one.
    return kind === 'AEXPR_OP_ANY' && key === 'account' && names(lexpr) && isValue(rexpr)
  })
}

const withoutAccount = ({ table, name }: Use, key: string, isLocked: boolean) => {
  const what = name === table ? table : `${table} (${name})`
  const sentence = `${what} is not held to the account by a value: write ${name}.${key} = \${accountId} in the where, or in the join, of the same query.`
  return isLocked ? `${sentence} Rows are locked within one account only.` : sentence
}

function apart(level: Level, isJoined: boolean, elsewhere: readonly Use[]): string[] {
  const tables = [...new Set(elsewhere.map(({ table }) => table))].join(', ')
  const found: string[] = []
  if (isJoined)
    found.push(
      `${tables} lies elsewhere and is joined with a table of an account: write x in (select … from ${tables}).`,
    )
  const { withClause, fromClause, ...own } = level.node
  visit([own, level.conditions.map(({ expression }) => expression)], (kind, node) => {
    const words = kind === 'ColumnRef' ? wordsOf(node.fields) : []
    if (words.length > 1 && !level.names.has(words[0] as string))
      found.push(
        `${tables} lies elsewhere and is queried for each row of ${words[0]}: query it once, with x in (select …).`,
      )
  })
  return found
}

/** `exists` can't refer to a table that is stored on another node. */
function subqueriesOfExists(level: Level, levels: readonly Level[], isElsewhere: (use: Use) => boolean): string[] {
  const queries: Tree[] = []
  const { withClause, ...own } = level.node
  visit([own, level.conditions.map(({ expression }) => expression)], (kind, node) => {
    const query = kind === 'SubLink' && node.subLinkType === 'EXISTS_SUBLINK' && inner(node.subselect, 'SelectStmt')
    if (query) queries.push(query)
  })
  return levels
    .filter(({ node }) => queries.includes(node))
    .flatMap(({ uses }) => uses.filter(isElsewhere))
    .map(({ table }) => `${table} lies elsewhere: write x in (select … from ${table}) instead of exists (…).`)
}

/** Constructs that are wrong anywhere in a statement on rows of an account. */
function ownFindings({ node }: Level): string[] {
  const { withClause, ...own } = node
  const found: string[] = []
  visit(own, (kind, { arg, funcname }) => {
    // Not supported with an `a` from another CTE.
    if (kind === 'CaseExpr' && arg) found.push('case a when b: write case when a = b.')
    const name = kind === 'FuncCall' ? (wordsOf(funcname).at(-1) ?? '') : ''
    // Functions that affect the session must run on the node the service is connected to, not where the rows are stored.
    if (/^(?:pg_notify|pg_(?:try_)?advisory_\w+|set_config|nextval|setval)$/.test(name))
      found.push(
        `${name} beside a table of an account would run on another node: send it as a separate statement, with later().`,
      )
    if (/^chorus_inbox_(?:search|estimate)$/.test(name))
      found.push(`${name} runs queries, which fails on the node of the account: call it in a separate statement.`)
  })
  return found
}

/** Kinds of statements that are not checked here and that the service does not need. */
function unsupported(parsed: unknown): string[] {
  return listOf((parsed as Tree).stmts)
    .flatMap((one) => Object.keys((one.stmt ?? {}) as Tree))
    .filter((kind) => /^(?:Merge|Copy|Truncate|CreateTableAs)Stmt$/.test(kind))
    .map((kind) => `${kind} is not supported: write select, insert, update or delete.`)
}
