import { quotas } from '#main/registry.ts'

/** The table of docs/limits.md. */
export const limitsTable = () =>
  [
    '| Quota | Resource | Default |',
    '|---|---|---|',
    ...quotas.map(({ name, things, standard }) => `| \`${name}\` | ${things} | ${standard.toLocaleString('en')} |`),
    '',
  ].join('\n')
