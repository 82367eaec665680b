const toCamel = new Map<string, string>()
const toSnake = new Map<string, string>()

/** `created_by` in SQL is `createdBy` in code. */
export function camelName(name: string): string {
  return remembered(toCamel, name, () => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()))
}

/** `createdBy` in code is `created_by` in SQL. */
export function snakeName(name: string): string {
  return remembered(toSnake, name, () => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
}

function remembered(names: Map<string, string>, name: string, make: () => string): string {
  const known = names.get(name)
  if (known !== undefined) return known
  const made = make()
  names.set(name, made)
  return made
}
