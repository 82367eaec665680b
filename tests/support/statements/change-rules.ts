import { inner, isValue, type Level, listOf, type Tree, type Use, visit, wordsOf } from './levels.ts'

/** Rules for a query that changes rows of an account. */
export function changeRules(level: Level, changed: Use, key: string): string[] {
  const found = moments(level)
  const sets = (targets: unknown) => listOf(targets).some((target) => inner(target, 'ResTarget')?.name === key)
  if (level.kind === 'UpdateStmt' && sets(level.node.targetList))
    found.push(`${changed.table}.${key} is set: rows do not move from account to account; remove it.`)
  if (level.kind !== 'InsertStmt') return found

  const columns = listOf(level.node.cols).map((column) => inner(column, 'ResTarget')?.name)
  const rows = inner(level.node.selectStmt, 'SelectStmt') ?? {}
  if (!givesAccount(rows, columns.indexOf(key)))
    found.push(`${changed.table} gets rows whose account is not a value: set ${key} to \${accountId} in each of them.`)
  const isSpelledOut = Array.isArray(rows.valuesLists)
  if (!isSpelledOut && !level.node.returningClause)
    found.push(`insert into ${changed.table} … select, without returning: write values, or add returning.`)
  return [...found, ...conflictRules(level, changed, key, isSpelledOut, sets)]
}

function conflictRules(
  { node }: Level,
  { table }: Use,
  key: string,
  isSpelledOut: boolean,
  sets: (targets: unknown) => boolean,
) {
  const conflict = node.onConflictClause as Tree | undefined
  if (conflict?.action !== 'ONCONFLICT_UPDATE') return []
  const found: string[] = []
  if (sets(conflict.targetList)) found.push(`${table}.${key} is set in on conflict do update: remove it.`)
  visit([conflict.targetList, conflict.whereClause], (kind) => {
    if (kind === 'SubLink')
      found.push(`a query in on conflict do update of ${table}: run it before, and pass the result as a value.`)
    if (kind === 'ParamRef' && !isSpelledOut)
      found.push(
        `a parameter in on conflict do update of ${table}, whose rows are not values: write values, or excluded.x.`,
      )
  })
  return found
}

function givesAccount(rows: Tree, place: number): boolean {
  if (place < 0) return false
  if (rows.larg && rows.rarg) return [rows.larg, rows.rarg].every((half) => givesAccount(half as Tree, place))
  const lists = listOf(rows.valuesLists).map((list) => listOf(inner(list, 'List')?.items))
  if (lists.length > 0) return lists.every((list) => isValue(list[place]))
  return isValue(inner(listOf(rows.targetList)[place], 'ResTarget')?.val)
}

const volatile = new Set(['clock_timestamp', 'random', 'gen_random_uuid', 'uuidv4', 'uuidv7', 'timeofday'])
/** Stable within a statement but not immutable: they depend on the time, the time zone or other settings. */
const stable = new Set(
  `now statement_timestamp transaction_timestamp age date_trunc date_part extract to_char to_json to_jsonb row_to_json
   json_build_object jsonb_build_object json_build_array jsonb_build_array json_agg jsonb_agg json_object_agg jsonb_object_agg
   concat concat_ws format array_to_string chorus_account`.split(/\s+/),
)

/** Non-immutable functions that are evaluated for each row. */
function moments({ kind, node, conditions }: Level): string[] {
  const conflict = (node.onConflictClause ?? {}) as Tree
  const sets = kind === 'InsertStmt' ? [] : [node.targetList]
  const looking = [...sets, conditions.map(({ expression }) => expression), conflict.targetList, conflict.whereClause]
  const found = new Set<string>()
  const check = (part: unknown, where: string, isRefused: (name: string, inside: Tree) => boolean) =>
    visit(part, (one, inside) => {
      const name = changing(one, inside)
      if (name && isRefused(name, inside))
        found.add(`${name} ${where}: compute it before, in a separate step, or pass a value.`)
    })
  check(looking, 'on a column where rows are changed', (name, inside) => volatile.has(name) || hasColumn(inside))
  visit(looking, (one, inside) => {
    if (one === 'CaseExpr' || one === 'CoalesceExpr')
      check(inside, 'in case or coalesce where rows are changed', () => true)
  })
  check(node.returningClause, 'in returning', () => true)
  return [...found]
}

/** The name of a function that is not immutable. */
function changing(kind: string, node: Tree): string | undefined {
  if (kind === 'SQLValueFunction') return 'now'
  if (kind === 'TypeCast') {
    const type = typeOf(node)
    return /^(?:timestamptz|timestamp|date|time|timetz)$/.test(type) && !isValue(node.arg)
      ? `a cast to ${type}`
      : undefined
  }
  if (kind === 'A_Expr') {
    const sides = [node.lexpr, node.rexpr]
    const isMoved =
      ['+', '-'].includes(wordsOf(node.name)[0] ?? '') && sides.some(isInterval) && !sides.some(isWithoutZone)
    return isMoved ? 'a moment and an interval' : undefined
  }
  const name = kind === 'FuncCall' ? wordsOf(node.funcname).at(-1) : undefined
  return name && (volatile.has(name) || stable.has(name)) ? name : undefined
}

function isInterval(expression: unknown): boolean {
  const cast = inner(expression, 'TypeCast')
  if (cast) return typeOf(cast) === 'interval'
  const { name, lexpr, rexpr } = inner(expression, 'A_Expr') ?? {}
  if (name) return isInterval(lexpr) || isInterval(rexpr)
  return wordsOf(inner(expression, 'FuncCall')?.funcname).at(-1) === 'make_interval'
}

/** `x at time zone 'UTC'`: adding a day always adds the same duration. */
const isWithoutZone = (expression: unknown) => wordsOf(inner(expression, 'FuncCall')?.funcname).at(-1) === 'timezone'

const typeOf = (cast: Tree) => wordsOf((cast.typeName as Tree | undefined)?.names).at(-1) ?? ''

function hasColumn(node: Tree): boolean {
  let isSeen = false
  visit(node, (kind) => {
    if (kind === 'ColumnRef') isSeen = true
  })
  return isSeen
}
