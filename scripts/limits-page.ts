import { quotas } from '#main/registry.ts'

/** The table of docs/limits.md. */
export const limitsTable = () =>
  [
    '| Name | What | Limit |',
    '|---|---|---|',
    ...quotas.map(({ name, things, standard }) => `| \`${name}\` | ${things} | ${standard.toLocaleString('en')} |`),
    '',
  ].join('\n')
