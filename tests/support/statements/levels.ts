/** A part of the syntax tree of PostgreSQL's parser: the kind of each node is its property name. */
export type Tree = { readonly [name: string]: unknown }

type Kind = 'SelectStmt' | 'InsertStmt' | 'UpdateStmt' | 'DeleteStmt'

/** A table that a level reads or changes, by its alias there. */
export interface Use {
  readonly table: string
  readonly name: string
}

/** A condition; that of an outer join applies only to rows of these names. */
interface Condition {
  readonly expression: Tree
  readonly of?: ReadonlySet<string>
}

/** One query of a statement, without its subqueries. */
export interface Level {
  readonly kind: Kind
  readonly node: Tree
  /** Tables it reads, and the table it updates or deletes from. */
  readonly uses: Use[]
  /** The table it changes. */
  readonly changed?: Use
  /** All table names and aliases that can qualify its columns. */
  readonly names: Set<string>
  readonly conditions: Condition[]
}

/** All queries of a statement, each once; CTEs are known by name and are not tables. */
export function gaugesOf(tree: unknown): Level[] {
  const levels: Level[] = []
  gather(tree, new Set(), levels)
  return levels
}

/** Visits every node of an expression, but not its subqueries. */
export function visit(tree: unknown, seen: (kind: string, node: Tree) => void) {
  if (Array.isArray(tree)) for (const one of tree) visit(one, seen)
  else if (isTree(tree))
    for (const kind in tree) {
      const node = tree[kind]
      if (!isTree(node) || kinds.has(kind)) continue
      if (!Array.isArray(node)) seen(kind, node)
      visit(node, seen)
    }
}

/** The node, if it is of this kind. */
export const inner = (tree: unknown, kind: string): Tree | undefined =>
  isTree(tree) && isTree(tree[kind]) ? tree[kind] : undefined

export const listOf = (tree: unknown): Tree[] => (Array.isArray(tree) ? tree : [])

/** `x.id` gives x and id. */
export const wordsOf = (fields: unknown): string[] =>
  listOf(fields).map((field) => String(inner(field, 'String')?.sval ?? '*'))

/** A parameter or a literal, of any type. */
export function isValue(expression: unknown): boolean {
  const cast = inner(expression, 'TypeCast')
  if (cast) return isValue(cast.arg)
  return Boolean(inner(expression, 'ParamRef') || inner(expression, 'A_Const'))
}

function gather(tree: unknown, steps: ReadonlySet<string>, levels: Level[]) {
  if (Array.isArray(tree)) for (const one of tree) gather(one, steps, levels)
  else if (isTree(tree))
    for (const kind in tree) {
      const node = tree[kind]
      if (!isTree(node)) continue
      if (isKind(kind)) addLevel(kind, node, steps, levels)
      else gather(node, steps, levels)
    }
}

function addLevel(kind: Kind, node: Tree, outer: ReadonlySet<string>, levels: Level[]) {
  const { withClause, larg, rarg, fromClause, usingClause, relation, ...rest } = node
  const steps = addSteps(withClause, outer, levels)
  if (isTree(larg) && isTree(rarg)) {
    for (const half of [larg, rarg]) addLevel(kind, half, steps, levels)
    return gather(rest, steps, levels)
  }
  const changed = isTree(relation) ? useOf(relation) : undefined
  const level: Level = { kind, node, uses: [], names: new Set(), conditions: [], ...(changed && { changed }) }
  levels.push(level)
  if (changed) level.names.add(changed.name)
  if (changed && kind !== 'InsertStmt') level.uses.push(changed)
  for (const source of [...listOf(fromClause), ...listOf(usingClause)]) read(source, level, steps, levels)
  level.conditions.push(...conjuncts(node.whereClause).map((expression) => ({ expression })))
  gather(rest, steps, levels)
}

/** A CTE sees those before it; all of them if the `with` is recursive. */
function addSteps(withClause: unknown, outer: ReadonlySet<string>, levels: Level[]): ReadonlySet<string> {
  if (!isTree(withClause)) return outer
  const known = new Set(outer)
  const steps = listOf(withClause.ctes).map((one) => inner(one, 'CommonTableExpr') ?? {})
  if (withClause.recursive) for (const { ctename } of steps) known.add(String(ctename))
  for (const { ctename, ctequery } of steps) {
    gather(ctequery, known, levels)
    known.add(String(ctename))
  }
  return known
}

/** Returns the names of the tables read. */
function read(source: Tree, level: Level, steps: ReadonlySet<string>, levels: Level[]): Set<string> {
  const join = inner(source, 'JoinExpr')
  if (join) return readJoin(join, level, steps, levels)
  const table = inner(source, 'RangeVar')
  if (table) {
    const use = useOf(table)
    if (table.schemaname || !steps.has(use.table)) level.uses.push(use)
    return named(level, use.name)
  }
  gather(source, steps, levels)
  const [other] = Object.values(source)
  return named(level, aliasOf(other) ?? '')
}

function readJoin(join: Tree, level: Level, steps: ReadonlySet<string>, levels: Level[]): Set<string> {
  const left = read(join.larg as Tree, level, steps, levels)
  const right = read(join.rarg as Tree, level, steps, levels)
  gather(join.quals, steps, levels)
  const holds = { JOIN_LEFT: right, JOIN_RIGHT: left, JOIN_FULL: new Set<string>() }[String(join.jointype)]
  for (const expression of conjuncts(join.quals)) level.conditions.push({ expression, ...(holds && { of: holds }) })
  return new Set([...left, ...right])
}

function named(level: Level, name: string): Set<string> {
  level.names.add(name)
  return new Set([name])
}

const useOf = (table: Tree): Use => ({
  table: String(table.relname),
  name: aliasOf(table) ?? String(table.relname),
})

const aliasOf = (source: unknown): string | undefined =>
  isTree(source) && isTree(source.alias) ? String(source.alias.aliasname) : undefined

function conjuncts(expression: unknown): Tree[] {
  const all = inner(expression, 'BoolExpr')
  if (all?.boolop === 'AND_EXPR') return listOf(all.args).flatMap(conjuncts)
  return isTree(expression) ? [expression] : []
}

const isTree = (tree: unknown): tree is Tree => typeof tree === 'object' && tree !== null
const kinds: ReadonlySet<string> = new Set<Kind>(['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'])
const isKind = (name: string): name is Kind => kinds.has(name)
