import type { CompiledQuery } from 'kysely'
import { type Db, later, rowsOf } from './handle.ts'

/** What the query builder makes: a select, an insert, a piece of SQL. */
interface Buildable<Row> {
  compile(db: Db): CompiledQuery<Row>
}

/** A statement that is built and compiled at its first use. */
export interface PreparedStatement<Values, Row> {
  rows(db: Db, values: Values): Promise<Row[]>
  first(db: Db, values: Values): Promise<Row | undefined>
  /** For statements whose result is not needed. */
  later(db: Db, values: Values): Promise<void>
}

/**
 * Building and compiling a statement takes longer than everything else that is done for a row that is read by its id. So its text is kept,
 * and later uses only put in their values. The text may depend on which values are given, but not on what they are: `build` gets markers in
 * their place.
 */
export function prepared<Values extends object, Row>(
  build: (db: Db, values: Values) => Buildable<Row>,
): PreparedStatement<Values, Row> {
  const byShape = new Map<string, Built<Values>>()
  const compile = (db: Db, values: Values): CompiledQuery => {
    const shape = shapeOf(values)
    let built = byShape.get(shape)
    if (!built) {
      if (byShape.size === maximumShapes) return build(db, values).compile(db)
      built = buildOnce((markers) => build(db, markers).compile(db), values)
      byShape.set(shape, built)
    }
    const parameters = built.parametersOf(values)
    if (built.unchecked > 0) {
      built.unchecked--
      requireEqual({ sql: built.sql, parameters }, build(db, values).compile(db))
    }
    return { sql: built.sql, parameters } as CompiledQuery
  }
  return {
    rows: async (db, values) => rowsOf<Row>(db, compile(db, values)),
    first: async (db, values) => (await rowsOf<Row>(db, compile(db, values)))[0],
    later: async (db, values) => later(db, compile(db, values)),
  }
}

/** No list has this many combinations of filters in use; beyond it a statement is built each time. */
const maximumShapes = 200

interface Built<Values> {
  sql: string
  parametersOf(values: Values): readonly unknown[]
  /** Number of uses left that are compared with a statement built from the values themselves. */
  unchecked: number
}

/** The names of the given values. */
function shapeOf(values: object): string {
  let shape = ''
  for (const name in values) if ((values as { [name: string]: unknown })[name] !== undefined) shape += `${name} `
  return shape
}

/** `if (value)` always takes the same branch for a marker, so the first uses are checked. */
const checkedUses = 5

function buildOnce<Values extends object>(compile: (markers: Values) => Compiled, values: Values): Built<Values> {
  const markers = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, new Marker(name)]])),
  )
  const { sql, parameters } = compile(markers as Values)
  const sources = parameters.map((parameter, index) =>
    parameter instanceof Marker ? `v[${JSON.stringify(parameter.name)}]` : `p[${index}]`,
  )
  const parametersOf = new Function('p', `return (v) => [${sources.join(', ')}]`)(parameters)
  return { sql, parametersOf, unchecked: checkedUses }
}

/** Stands for a value while a statement is built. */
class Marker {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  toString(): never {
    throw new Error(`The text of a prepared statement must not depend on the value ${this.name}.`)
  }

  toJSON(): never {
    return this.toString()
  }
}

type Compiled = Pick<CompiledQuery, 'sql' | 'parameters'>

function requireEqual(kept: Compiled, fresh: Compiled) {
  const isEqual =
    kept.sql === fresh.sql &&
    kept.parameters.length === fresh.parameters.length &&
    kept.parameters.every((parameter, index) => Object.is(parameter, fresh.parameters[index]))
  if (!isEqual) throw new Error(`A prepared statement depends on its values: ${kept.sql} became ${fresh.sql}`)
}
