import { newId } from '#kernel/ids.ts'

export interface CustomField {
  id: string
  name: string
  options: readonly NamedOption[]
}

export interface NamedOption {
  id: string
  name: string
}

/** What a board asks of its advocates, read out of its row; what has no such form is left out. */
export const customFieldsOf = ({ customFields }: { customFields: unknown }): CustomField[] =>
  Array.isArray(customFields) ? customFields.filter(isField) : []

const isNamed = (value: unknown): value is NamedOption =>
  typeof (value as NamedOption | null)?.id === 'string' && typeof (value as NamedOption).name === 'string'

const isField = (value: unknown): value is CustomField => {
  const { options } = (value ?? {}) as { options?: unknown }
  return isNamed(value) && Array.isArray(options) && options.every(isNamed)
}

/** The fields that somebody writes, with the ids of those that were there by the same name. */
export function withIds(
  given: readonly { name: string; options: readonly string[] }[],
  before: readonly CustomField[],
  now: Date,
): CustomField[] {
  return given.map(({ name, options }) => {
    const known = before.find((field) => isSame(field.name, name))
    const id = known?.id ?? newId('customField', now)
    return {
      id,
      name,
      options: options.map((option) => {
        const same = known?.options.find((one) => isSame(one.name, option))
        return { id: same?.id ?? newId('customOption', now), name: option }
      }),
    }
  })
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** What an advocate chose of each field, by name; what the board no longer asks is left out. */
export function chosenOf(fields: readonly CustomField[], values: unknown) {
  const chosen = (values ?? {}) as { readonly [fieldId: string]: unknown }
  return fields.flatMap(({ id, name, options }) => {
    const option = options.find((one) => one.id === chosen[id])
    return option ? [{ fieldId: id, fieldName: name, option }] : []
  })
}
