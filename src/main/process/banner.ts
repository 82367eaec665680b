import type { DemoAccess } from '../demo.ts'
import { version } from '../project.ts'
import type { Settings } from '../settings/settings.ts'
import { reachable } from './outbound-client.ts'

interface Beginning {
  demo: DemoAccess[]
  /** There is no account yet. */
  empty: boolean
  sandbox: string | undefined
  /** One-time sign-in link for the demo's admin, valid on this machine. */
  entry: string | undefined
}

/** Startup message for the operator. */
export function welcome(
  { publicUrl, databaseUrl, dataDir, console, roles }: Settings,
  listening: string,
  { demo, empty, sandbox, entry }: Beginning,
): string {
  const base = publicUrl ?? listening
  return [
    '',
    `Chorus ${version} is running.`,
    '',
    `  Base URL   ${base}/v2`,
    `  API docs   ${base}/docs`,
    ...(console && roles.includes('api') ? [`  Console    ${base}/app`] : [`  Sign in    ${base}/app/sign-in`]),
    ...(entry ? [`  Enter      ${reachable(listening)}${entry}  once, as the demo's admin, on this machine`] : []),
    `  Data       ${databaseUrl ? 'in the database of CHORUS_DATABASE_URL' : dataDir}`,
    ...(sandbox ? [`  Sandbox    ${sandbox}  the networks of the demo: look there for what was published`] : []),
    ...demo.flatMap(accountLines),
    ...(demo[0] ? (demo[0].users[0]?.key ? tryLines(base, demo[0]) : newKeyLines(demo[0])) : []),
    ...(empty ? firstAccountLines : []),
    '',
    '  Stop with Ctrl-C.',
    '',
  ].join('\n')
}

const accountLines = ({ accountId, accountName, users }: DemoAccess) => [
  '',
  `  Account    ${accountId}  ${accountName}`,
  ...users.map(({ role, email, key }) => `    ${role.padEnd(13)}${key ?? email}`),
]

/** API keys are shown only when created; a lost key has to be replaced. */
const newKeyLines = ({ accountId, users }: DemoAccess) => [
  '',
  '  The keys were shown at the first start. For a new one:',
  '',
  `    npx chorus key create --account ${accountId} --email ${users[0]?.email} --name "My key"`,
]

const tryLines = (base: string, { accountId, users }: DemoAccess) => [
  '',
  `  Try        curl -u ${accountId}:${users[0]?.key} ${base}/v2/me`,
]

const firstAccountLines = [
  '',
  '  There is no account yet. Create the first one, with its admin and an API key:',
  '',
  '    npx chorus account create --name "Your company" --email you@example.com --first-name Your --last-name Name',
]
