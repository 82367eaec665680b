import { Refusal } from './errors.ts'

/**
 * What somebody believes a thing to be that they change: two people who change one thing at the same time are told, instead of the second
 * undoing what the first did. Who says nothing of it changes whatever is there.
 */
export interface Expected {
  /** As they read it, or one of several. */
  readonly tags: ReadonlySet<string>
  /** An operation that takes the tags and does not look at them would promise what it does not keep. */
  isCompared: boolean
}

/** What stands for a thing as it is at a moment. */
export const tagOf = (modified: Date) => `"${modified.getTime()}"`

/** Of an `If-Match` header; nothing where the caller takes whatever there is. */
export function expectedOf(header: string | undefined): Expected | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  return { tags: new Set(header.split(',').map((tag) => tag.trim())), isCompared: false }
}

/** Refuses to change what is no more as the caller read it. To be called with a row that is held until the change is made. */
export function requireUnchanged({ expected }: { expected?: Expected | undefined }, { modified }: { modified: Date }) {
  if (!expected) return
  expected.isCompared = true
  if (!expected.tags.has(tagOf(modified))) throw changedMeanwhile()
}

const changedMeanwhile = () =>
  new Refusal('changed', 'Somebody changed this after you read it. Read it again to see what is different.')
