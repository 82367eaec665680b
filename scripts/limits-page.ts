import { quotas } from '#main/registry.ts'

/** The table in docs/limits.md. */
export const limitsTable = () =>
  [
    '| Quota | Resource | Default |',
    '|---|---|---|',
    ...quotas.map(({ name, things, standard }) => `| \`${name}\` | ${things} | ${standard.toLocaleString('en')} |`),
    '',
  ].join('\n')
