import { z } from 'zod'
import type { JsonSchema } from '../../wire/fields.ts'
import { parameterSchemas } from '../../wire/parameter.ts'
import type { Endpoint } from '../route/endpoint.ts'

export interface ParameterField {
  name: string
  where: 'path' | 'request'
  required: boolean
  schema: JsonSchema
}

/** The parameters of an endpoint, derived from the schema that validates them. */
export function parameterFields({ path, params }: Pick<Endpoint, 'path' | 'params'>): ParameterField[] {
  return Object.entries(shapeOf(params)).map(([name, declared]) => {
    const schema = parameterSchemas.get(withoutOptional(declared))?.schema
    if (!schema) throw new Error(`The parameter ${name} of ${path} is not made by kernel/wire/params.ts.`)
    const required = !(declared instanceof z.ZodOptional)
    return { name, where: path.includes(`{${name}}`) ? 'path' : 'request', required, schema }
  })
}

const known = new WeakMap<z.ZodType, ReadonlyMap<string, string>>()

/** The parameter names of an endpoint by all their aliases, in lower case. */
export function namesInLowerCase({ params }: Pick<Endpoint, 'params'>): ReadonlyMap<string, string> {
  const names = known.get(params) ?? readNames(params)
  known.set(params, names)
  return names
}

function readNames(params: z.ZodType): ReadonlyMap<string, string> {
  const shape = Object.entries(shapeOf(params))
  const others = shape.flatMap(([name, declared]) => {
    const { otherNames = [] } = parameterSchemas.get(withoutOptional(declared)) ?? {}
    return otherNames.map((other) => [other.toLowerCase(), name] as const)
  })
  return new Map([...others, ...shape.map(([name]) => [name.toLowerCase(), name] as const)])
}

function shapeOf(params: z.ZodType): Record<string, z.ZodType> {
  const object = params instanceof z.ZodPipe ? params.in : params
  if (!(object instanceof z.ZodObject)) throw new Error('The parameters of an endpoint are declared as an object.')
  return object.shape as Record<string, z.ZodType>
}

function withoutOptional(declared: z.ZodType): z.ZodType {
  return declared instanceof z.ZodOptional ? withoutOptional(declared.unwrap() as z.ZodType) : declared
}
