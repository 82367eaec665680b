import { hash } from '@node-rs/argon2'

/** The stored form of a password: argon2id at the strength OWASP advises (19 MiB, two passes). */
export const hashPassword = (password: string) => hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
