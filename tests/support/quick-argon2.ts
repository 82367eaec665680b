import { createRequire } from 'node:module'
import type { Options } from '@node-rs/argon2'

/** The real one; by its name the tests get this file. */
const argon2: typeof import('@node-rs/argon2') = createRequire(import.meta.url)('@node-rs/argon2')

/** What the program last asked for, and how many hashes it has computed. */
export const asked: { options?: Options | undefined; computed: number } = { computed: 0 }

/** A hash like those of the program, for a hundredth of the work: the tests make hundreds, and what one costs is no matter of theirs. */
export function hash(password: string, options?: Options) {
  asked.options = options
  asked.computed += 1
  return argon2.hash(password, { ...options, memoryCost: 256, timeCost: 1 })
}

export function verify(hashed: string, password: string) {
  asked.computed += 1
  return argon2.verify(hashed, password)
}
