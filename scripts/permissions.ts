import type { Beside } from '#kernel/http/openapi.ts'
import { type Endpoint, isOpen } from '#kernel/http/route/endpoint.ts'
import { type Ability, callerRoles, may } from '#kernel/permissions.ts'

/** The tables of who may do what, for people. */
export const permissionsPage = (
  endpoints: readonly Endpoint[],
  appEndpoints: readonly Endpoint[],
  { intakes, downloads, streams }: Beside,
): string =>
  [
    '# Who may do what',
    '',
    'Written by `npm run generate` from the endpoints. What a role may not do is answered with 403; what the teams of a user',
    'may not see is answered with 404, like what does not exist. Whoever has no role is an advocate.',
    '',
    '## The contract, under `/v2` with an API key and under `/app/api/v2` with a session',
    '',
    ...table(endpoints.map(rowOf)),
    '',
    '## The console’s own operations, under `/app/api` with a session or an API key',
    '',
    ...table([
      ...appEndpoints.map(rowOf),
      ...intakes.map(({ path, summary, needs }) => row(`PUT ${path}`, summary, needs)),
      ...[...downloads, ...streams].map(({ path, summary, needs }) => row(`GET ${path}`, summary, needs)),
    ]),
    '',
  ].join('\n')

const table = (rows: string[]) => [
  `| Operation | What it does | ${callerRoles.join(' | ')} |`,
  `|---|---|${callerRoles.map(() => '---|').join('')}`,
  ...rows,
]

const rowOf = (endpoint: Endpoint) =>
  row(
    `${endpoint.method} ${endpoint.path}`,
    endpoint.summary + (isOpen(endpoint) ? ' (for everybody)' : ''),
    endpoint.needs,
  )

const row = (operation: string, summary: string, needs: Ability) =>
  `| \`${operation}\` | ${summary} | ${callerRoles.map((role) => (may(role, needs) ? 'yes' : '–')).join(' | ')} |`
