import { createRequire } from 'node:module'
import type { Options } from '@node-rs/argon2'

/** The real module; its name is aliased to this file in tests. */
const argon2: typeof import('@node-rs/argon2') = createRequire(import.meta.url)('@node-rs/argon2')

/** The last options, and the number of computed hashes. */
export const hashing: { options?: Options | undefined; computed: number } = { computed: 0 }

/** A real hash with a hundredth of the cost: the tests compute hundreds. */
export function hash(password: string, options?: Options) {
  hashing.options = options
  hashing.computed += 1
  return argon2.hash(password, { ...options, memoryCost: 256, timeCost: 1 })
}

export function verify(hashed: string, password: string) {
  hashing.computed += 1
  return argon2.verify(hashed, password)
}
