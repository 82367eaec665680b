import { camelName } from '../names.ts'
import { valueTypes } from './values.ts'

export type RowReader = (fields: readonly (string | null)[]) => object

/** Compiles the function that turns the texts of one row into an object with the names the code uses. */
export function rowReader(fields: readonly { name: string; dataTypeID: number }[]): RowReader {
  const parsers = fields.map(({ dataTypeID }) => valueTypes.getTypeParser(dataTypeID))
  const properties = fields.map(({ name, dataTypeID }, index) => {
    const value = textTypes.has(dataTypeID) ? `f[${index}]` : `f[${index}] === null ? null : p[${index}](f[${index}])`
    return `${JSON.stringify(camelName(name))}: ${value}`
  })
  return new Function('p', `return (f) => ({ ${properties.join(', ')} })`)(parsers) as RowReader
}

/** text, varchar, bpchar, name: nothing to parse. */
const textTypes = new Set([25, 1043, 1042, 19])
