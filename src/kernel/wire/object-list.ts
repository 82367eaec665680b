import { z } from 'zod'
import { elements, param, parameterSchemas, refuse } from './parameter.ts'

/** Objects in any of the encodings of an array, `users[0][email]=` or JSON; each with these fields, in their order. */
export const objectList = <Fields extends z.ZodObject>(
  fields: Fields,
  { min = 0, max }: { min?: number; max: number },
) =>
  param<z.output<Fields>[], readonly z.input<Fields>[]>(
    { type: 'array', items: itemSchema(fields), minItems: min, maxItems: max },
    (raw) => {
      const given = raw === '' ? [] : elements(raw)
      if (given.length < min || given.length > max) refuse(`must hold ${min} to ${max} elements`)
      return given.map((element, index): z.output<Fields> => {
        const { success, data, error } = fields.safeParse(element)
        if (success) return data
        const { path = [], message = '' } = error.issues[0] ?? {}
        const problem = path.length > 0 ? `${path.join('.')} ${message}` : 'must be an object'
        return refuse(`element ${index + 1}: ${problem}`)
      })
    },
  )

function itemSchema(fields: z.ZodObject) {
  const described = Object.entries(fields.shape as { [name: string]: z.ZodType }).map(([name, field]) => {
    const reader = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field
    return [name, parameterSchemas.get(reader)?.schema ?? {}] as const
  })
  return { type: 'object', properties: Object.fromEntries(described) }
}
