import type { Endpoint } from '#kernel/http/endpoint.ts'
import { may, roles } from '#kernel/permissions.ts'

/** The table of who may do what, for people. */
export function permissionsPage(endpoints: readonly Endpoint[]): string {
  const rows = endpoints.map(({ method, path, summary, needs }) => {
    const cells = roles.map((role) => (may(role, needs) ? 'yes' : '–'))
    return `| \`${method} ${path}\` | ${summary} | ${cells.join(' | ')} |`
  })
  return [
    '# Who may do what',
    '',
    'Written by `npm run generate` from the endpoints. What a role may not do is answered with 403; what the teams of a user',
    'may not see is answered with 404, like what does not exist.',
    '',
    `| Operation | What it does | ${roles.join(' | ')} |`,
    `|---|---|${roles.map(() => '---|').join('')}`,
    ...rows,
    '',
  ].join('\n')
}
