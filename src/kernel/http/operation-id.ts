import type { JsonSchema } from '../wire/fields.ts'

interface Described {
  readonly method: string
  readonly path: string
  readonly operationId?: string | undefined
  /** Absent where the answer is not JSON. */
  readonly reply?: { readonly schema: JsonSchema }
}

/**
 * What an operation is called in the interface description: `listStories`, `getStory`, `createStory`, `updateStory`, `deleteStory`. The verb
 * follows from the method and the answer, the noun from the path. Below one thing (`/post/{id}/change-campaign`) a POST is an action and
 * its path names the verb. A declaration names its operation itself where that gives the wrong words.
 */
export function operationIdOf({ method, path, operationId, reply }: Described): string {
  if (operationId) return operationId
  const segments = path.split('/').slice(1)
  const names = segments.filter((segment) => !isParameter(segment)).map((segment) => segment.split(/[-.]/))
  const last = names.at(-1) ?? []
  const parents = names.slice(0, -1).map(singular)
  const named = (verb: string, words: readonly string[]) => camelCase([verb, ...parents.flat(), ...words])
  const isOne = isParameter(segments.at(-1) ?? '')
  const isBelow = !isOne && segments.some(isParameter)
  switch (method) {
    case 'GET':
      if (reply && isList(reply.schema, isOne || isBelow)) return named('list', plural(last))
      return named('get', isOne ? singular(last) : last)
    case 'DELETE':
      return named('delete', singular(last))
    case 'PUT':
      return isBelow ? named('set', last) : named('update', singular(last))
    default:
      if (isBelow) return named(last[0] ?? '', last.slice(1))
      return named(isOne ? 'update' : 'create', singular(last))
  }
}

const isParameter = (segment: string) => segment.startsWith('{')

/** `{Result, Items, Total}`, also as one of several answers; of what is not about one thing, any array under the first key. */
function isList({ properties, anyOf }: JsonSchema, isOfOne: boolean): boolean {
  if (anyOf) return (anyOf as readonly JsonSchema[]).some((schema) => isList(schema, isOfOne))
  const parts = (properties ?? {}) as { readonly [key: string]: JsonSchema }
  const [, first] = Object.values(parts)
  return parts.Items?.type === 'array' || parts.Total !== undefined || (!isOfOne && first?.type === 'array')
}

const camelCase = ([first = '', ...words]: readonly string[]) =>
  first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')

/** The forms of a noun by its last word. */
const plural = (words: readonly string[]) => withLast(words, pluralOf)
const singular = (words: readonly string[]) => withLast(words, singularOf)

const withLast = (words: readonly string[], form: (word: string) => string) => [
  ...words.slice(0, -1),
  ...words.slice(-1).map(form),
]

/** The same for one and for several. */
const invariable = new Set(['media', 'settings', 'analytics', 'health'])

function pluralOf(word: string): string {
  if (invariable.has(word) || word.endsWith('s')) return word
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`
}

function singularOf(word: string): string {
  if (invariable.has(word) || !word.endsWith('s')) return word
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.slice(0, -1)
}
