import type { Context } from './context.ts'
import type { Listed } from './pages.ts'

/** Somebody outside, by all that they are known by: so that what is kept of them is found, told or forgotten. */
export interface DataSubject {
  leadId: string
  /** In small letters. */
  emails: readonly string[]
  names: readonly string[]
  phones: readonly string[]
  profiles: readonly { network: string; remoteId: string; username: string; url: string }[]
  /** Addresses of pictures. */
  photos: readonly string[]
}

/** What is kept of a person in one place, up to a number; and how much that is. */
export interface Collected {
  items: Listed<object>
  total: number
}

/** Where personal data is stored. The owner of the tables declares it, in the manifest of its area. */
export interface PersonalDataLocation {
  readonly name: string
  /** Whether it holds copies of data that is stored elsewhere as well. */
  readonly isCopy?: true
  /** What is kept of a person there, for who asks what is known; nothing where it is only copies of what others tell. */
  readonly collect?: (context: Context, person: DataSubject, most: number) => Promise<Collected>
  /**
   * Forgets one piece, in one transaction, from where the last one ended (empty at first); gives where it ended, and nothing once
   * everything is gone. It may be done again.
   */
  readonly forget: (context: Context, person: DataSubject, from: string) => Promise<string | undefined>
}

/** What stands in the place of what is gone. */
export const goneMark = '[deleted]'

const shortest = 5

/**
 * What tells who somebody is wherever it stands. A single word is no name of one person alone, and what is short stands in many other
 * words.
 */
export function traitsOf({ emails, names, phones, profiles, photos }: DataSubject): string[] {
  const full = names.filter((name) => name.trim().includes(' '))
  const addresses = profiles.flatMap(({ url, username }) => [url, username])
  const numbers = phones.flatMap((phone) => [phone, phone.replace(/[^\d+]/g, '')])
  const traits = [...emails, ...photos, ...addresses, ...full, ...numbers].map((trait) => trait.trim())
  // The longest first: an address of a profile holds the name of it.
  return [...new Set(traits)]
    .filter((trait) => trait.length >= shortest)
    .sort((one, other) => other.length - one.length)
}

/** A text without what tells who somebody is, in whatever case it is written. */
export function withoutTraits(text: string, traits: readonly string[]): string {
  return traits.reduce(withoutTrait, text)
}

function withoutTrait(text: string, trait: string): string {
  const [small, wanted] = [text.toLowerCase(), trait.toLowerCase()]
  // A few letters have small ones of another length: places in one are not places in the other.
  if (small.length !== text.length || wanted.length !== trait.length) return text.replaceAll(trait, goneMark)
  let made = ''
  let from = 0
  for (let at = small.indexOf(wanted); at >= 0; at = small.indexOf(wanted, from)) {
    made += text.slice(from, at) + goneMark
    from = at + wanted.length
  }
  return made + text.slice(from)
}

/** The same for everything that JSON can say. */
export function valueWithoutTraits(value: unknown, traits: readonly string[]): unknown {
  if (typeof value === 'string') return withoutTraits(value, traits)
  if (Array.isArray(value)) return value.map((one) => valueWithoutTraits(one, traits))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, valueWithoutTraits(one, traits)]))
}

/** Patterns for `ilike any`, of text that is JSON or none. */
export const patternsOf = (traits: readonly string[]): string[] =>
  [...new Set(traits.flatMap((trait) => [trait, JSON.stringify(trait).slice(1, -1)]))].map(
    (trait) => `%${trait.replace(/[\\%_]/g, '\\$&')}%`,
  )
