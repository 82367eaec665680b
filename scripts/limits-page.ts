import { limitedKinds, standardLimits, thingsOf } from '#kernel/quotas/account-limits.ts'

/** The table of docs/limits.md. */
export const limitsTable = () =>
  [
    '| Name | What | Limit |',
    '|---|---|---|',
    ...limitedKinds.map((kind) => `| \`${kind}\` | ${thingsOf(kind)} | ${standardLimits[kind].toLocaleString('en')} |`),
    '',
  ].join('\n')
