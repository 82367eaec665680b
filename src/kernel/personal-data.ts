import type { Context } from './context.ts'
import type { Listed } from './pages.ts'

/** An external person with all known identifiers, used to find, export or erase their data. */
export interface DataSubject {
  leadId: string
  /** In lower case. */
  emails: readonly string[]
  names: readonly string[]
  phones: readonly string[]
  profiles: readonly { network: string; remoteId: string; username: string; url: string }[]
  /** Picture URLs. */
  photos: readonly string[]
}

/** Data of a person in one location, up to a limit, and the total number of items. */
export interface Collected {
  items: Listed<object>
  total: number
}

/** Where personal data is stored. The owner of the tables declares it, in the manifest of its area. */
export interface PersonalDataLocation {
  readonly name: string
  /** Whether it holds copies of data that is stored elsewhere as well. */
  readonly isCopy?: true
  /** Data of a person in this location, for access requests; undefined if it only holds copies of data that other locations export. */
  readonly collect?: (context: Context, person: DataSubject, most: number) => Promise<Collected>
  /**
   * Erases one batch in one transaction, starting at the cursor of the previous one (empty at first). Returns the next cursor, or undefined
   * once everything is erased. Must be idempotent.
   */
  readonly forget: (context: Context, person: DataSubject, from: string) => Promise<string | undefined>
}

/** Replaces erased text. */
export const erasedMark = '[deleted]'

const shortest = 5

/** Strings that identify a person in any text. A single word does not identify one person, and short strings occur inside other words. */
export function traitsOf({ emails, names, phones, profiles, photos }: DataSubject): string[] {
  const full = names.filter((name) => name.trim().includes(' '))
  const addresses = profiles.flatMap(({ url, username }) => [url, username])
  const numbers = phones.flatMap((phone) => [phone, phone.replace(/[^\d+]/g, '')])
  const traits = [...emails, ...photos, ...addresses, ...full, ...numbers].map((trait) => trait.trim())
  // Longest first: a profile URL contains the profile name.
  return [...new Set(traits)]
    .filter((trait) => trait.length >= shortest)
    .sort((one, other) => other.length - one.length)
}

/** Removes identifying strings from a text, ignoring case. */
export function withoutTraits(text: string, traits: readonly string[]): string {
  return traits.reduce(withoutTrait, text)
}

function withoutTrait(text: string, trait: string): string {
  const [small, wanted] = [text.toLowerCase(), trait.toLowerCase()]
  // Some characters change length in lower case, so offsets in one text don't apply to the other.
  if (small.length !== text.length || wanted.length !== trait.length) return text.replaceAll(trait, erasedMark)
  let made = ''
  let from = 0
  for (let at = small.indexOf(wanted); at >= 0; at = small.indexOf(wanted, from)) {
    made += text.slice(from, at) + erasedMark
    from = at + wanted.length
  }
  return made + text.slice(from)
}

/** The same for any JSON value. */
export function valueWithoutTraits(value: unknown, traits: readonly string[]): unknown {
  if (typeof value === 'string') return withoutTraits(value, traits)
  if (Array.isArray(value)) return value.map((one) => valueWithoutTraits(one, traits))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, valueWithoutTraits(one, traits)]))
}

/** Patterns for `ilike any`, for plain and JSON-encoded text. */
export const patternsOf = (traits: readonly string[]): string[] =>
  [...new Set(traits.flatMap((trait) => [trait, JSON.stringify(trait).slice(1, -1)]))].map(
    (trait) => `%${trait.replace(/[\\%_]/g, '\\$&')}%`,
  )
