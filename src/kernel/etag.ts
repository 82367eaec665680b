import { Refusal } from './errors.ts'

/**
 * An If-Match condition. It reports concurrent edits of one object instead of letting the second overwrite the first. Without a condition,
 * the last write wins.
 */
export interface Expected {
  /** One or several ETags. */
  readonly tags: ReadonlySet<string>
  /** Detects operations that accept the condition without checking it. */
  isCompared: boolean
}

/** The ETag of an object's current version. */
export const tagOf = (modified: Date) => `"${modified.getTime()}"`

/** Parses an `If-Match` header; undefined if any version is accepted. */
export function expectedOf(header: string | undefined): Expected | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return { tags: new Set(header.split(',').map((tag) => tag.trim())), isCompared: false }
}

/** Refuses the change if the object was modified since the caller read it. The row must stay locked until the change is made. */
export function requireUnchanged({ expected }: { expected?: Expected | undefined }, { modified }: { modified: Date }) {
  if (!expected) return
  expected.isCompared = true
  if (!expected.tags.has(tagOf(modified))) throw changedMeanwhile()
}

const changedMeanwhile = () =>
  new Refusal('changed', 'Somebody changed this after you read it. Read it again to see what is different.')
