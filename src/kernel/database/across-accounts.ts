import { type RawBuilder, sql } from 'kysely'

/**
 * Says in a statement that it looks at all accounts at once, and what for; on a cluster it asks every node. Never for a request. The tests,
 * which want every statement to name its account, know each purpose and why it may: tests/support/statements/allowed.ts.
 */
export const acrossAccounts = (purpose: string): RawBuilder<unknown> => sql.raw(`/* across accounts: ${purpose} */`)
