import { isAbsolute, resolve } from 'node:path'
import { logLevels } from '#kernel/log.ts'
import { readSender } from '#kernel/mail/mail.ts'
import { readAccountLimits } from '#kernel/quotas/quotas.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { readStorageUrl } from '#kernel/storage/storage-url.ts'
import { quotas } from '../registry.ts'
import { withCurrentNames } from './former-settings.ts'
import { networkSettings } from './network-settings.ts'
import {
  checked,
  integer,
  nearest,
  onOff,
  optional,
  readAddresses,
  readDemoKey,
  readFeedLimits,
  readLimits,
  readLogLevel,
  readNameServer,
  readRoles,
  readToken,
  readWait,
  readWaits,
  setting,
  text,
  url,
} from './setting-readers.ts'

/** Rate limits per user, and quotas per account. */
const limitSettings = {
  CHORUS_RATE_LIMIT: setting(
    'on',
    'Rate limit per user: `on`, `off`, or limits per second, five seconds and day with the block in seconds, `second=60,five=120,day=50000,block=900`.',
    readLimits,
  ),
  CHORUS_ACCOUNT_LIMITS: setting(
    '',
    'Overrides of the [default account quotas](docs/limits.md): `tags=10000,webhooks=200,…`.',
    (text) => readAccountLimits(text, quotas),
  ),
  CHORUS_FEED_LIMITS: setting(
    'session=8,account=1000',
    'Maximum number of open change feeds per process, for each session or API key and for each account.',
    readFeedLimits,
  ),
}

/** All settings of the service; `npm run generate` writes the table of the README from this. */
export const settingsList = {
  CHORUS_PORT: setting('4000', 'Port of the HTTP server. `0` picks a free port.', integer(0, 65_535)),
  CHORUS_HOST: setting('127.0.0.1', 'IP address to listen on. `0.0.0.0` listens on all interfaces.', text),
  CHORUS_DATA_DIR: setting('data', 'Directory for the embedded database, encryption keys and files.', (value) =>
    isAbsolute(value) ? value : resolve(value),
  ),
  CHORUS_CONSOLE: setting('on', '`on` serves the console at `/app`. `off` serves plain sign-in pages only.', onOff),
  CHORUS_DATABASE_URL: setting(
    '',
    'URL of a PostgreSQL server, version 15 or newer. Unset uses the embedded server.',
    optional(url('postgres', 'postgresql')),
  ),
  CHORUS_DATABASE_CONNECTIONS: setting('10', 'Size of the database connection pool of each process.', integer(2, 1000)),
  CHORUS_ROLES: setting(
    'all',
    'Roles that this installation runs: `all`, or a list of `api`, `worker` and `links`.',
    readRoles,
  ),
  CHORUS_PROCESSES: setting('1', 'Number of API processes that share the port.', integer(1, 256)),
  CHORUS_PUBLIC_URL: setting(
    '',
    'Base URL under which clients reach the service. Defaults to the listening address.',
    optional(url('http', 'https')),
  ),
  CHORUS_SHORT_URL: setting(
    '',
    'Base URL of short links. Defaults to the public URL followed by `/l`.',
    optional(url('http', 'https')),
  ),
  CHORUS_DNS_SERVER: setting(
    '',
    'DNS server for checks of custom domains, as `address:port`. Defaults to the system resolver.',
    optional(readNameServer),
  ),
  CHORUS_GEO: setting(
    'on',
    '`on` or `off`: resolve the IP addresses of clicks to country, city and organization, offline.',
    onOff,
  ),
  CHORUS_STORAGE_URL: setting(
    '',
    'Media storage: `s3://KEY:SECRET@host/bucket?region=…` for an S3-compatible store. Unset uses the data directory.',
    readStorageUrl,
  ),
  CHORUS_DEMO: setting(
    '0',
    '`1` creates a demo workspace in an empty installation. `npm start` sets it to `1`.',
    onOff,
  ),
  CHORUS_DEMO_PUBLIC: setting(
    '0',
    '`1` allows the demo while `CHORUS_HOST` is reachable from other machines. Otherwise the service does not start.',
    onOff,
  ),
  CHORUS_DEMO_API_KEY: setting(
    '',
    'API key of the demo admin: 8 to 200 printable characters without spaces and colons. Random if unset. The keys of the other demo users append `-publisher`, `-contributor`, `-read` and `-other`. Keys are printed once, when they are created.',
    optional(readDemoKey),
  ),
  ...limitSettings,
  CHORUS_SECRET_KEYS: setting(
    '',
    'Keyring for encryption at rest, as `id:base64,…`, newest key first. Unset stores the keyring in the data directory.',
    optional(checked(readKeyring)),
  ),
  CHORUS_SMTP_URL: setting(
    '',
    'SMTP server for outgoing email, as `smtp://user:password@host:587`. Unset writes emails as files to `outbox` in the data directory.',
    optional(url('smtp', 'smtps')),
  ),
  CHORUS_MAIL_FROM: setting('Chorus <chorus@localhost>', 'Sender of outgoing email.', checked(readSender)),
  CHORUS_TLS_CERT: setting(
    '',
    'TLS certificate file (PEM). If set, the service terminates TLS itself.',
    optional(text),
  ),
  CHORUS_TLS_KEY: setting('', 'Private key file (PEM) of the TLS certificate.', optional(text)),
  CHORUS_TRUSTED_PROXIES: setting(
    '',
    'IP addresses or CIDR ranges of reverse proxies whose `X-Forwarded-…` headers are trusted.',
    readAddresses,
  ),
  CHORUS_ALLOW_HTTP: setting('0', '`1` serves plain HTTP to other machines. For private networks only.', onOff),
  CHORUS_PUBLISH_MAX_DELAY: setting(
    '60m',
    'Maximum delay for automatic publishing, for example after an outage. Later posts need a manual decision.',
    readWait,
  ),
  CHORUS_PUBLISH_CONFIRM_AFTER: setting(
    '15s,1m,5m',
    "When to search the network for a post whose response was lost, counted from the request. The last search determines the post's status.",
    readWaits,
  ),
  CHORUS_POLL_SECONDS: setting(
    '',
    'Minimum number of seconds between two polls of a profile: 60 by default, 10 in the demo. Networks may have longer intervals (docs/budgets.md), which the demo ignores. `0` disables polling and webhook registration; pushed events are still accepted.',
    optional(integer(0, 86_400)),
  ),
  CHORUS_STREAM_SECONDS: setting(
    '',
    'Minimum number of seconds between two fetches of a stream that is being viewed: 60 by default, 10 in the demo. Networks may have longer intervals.',
    optional(integer(1, 86_400)),
  ),
  CHORUS_WEBHOOK_RETRY_DELAYS: setting(
    '5s,5m,30m,2h,5h,10h,14h,20h,24h',
    'Backoff between the attempts of a webhook delivery, each with ±20 % jitter.',
    readWaits,
  ),
  CHORUS_AUDIT_DAYS: setting('365', 'Retention of the audit log, in days.', integer(1, 36_500)),
  CHORUS_TEXT_URL: setting(
    '',
    "Base URL of a language model server with an OpenAI-compatible chat API (`https://…/v1`), which writes advocates' messages. Unset composes them from the sentences of the story.",
    optional(url('http', 'https')),
  ),
  CHORUS_TEXT_MODEL: setting('', 'Name of the language model.', optional(text)),
  CHORUS_TEXT_KEY: setting('', 'Bearer token for the language model server.', optional(text)),
  CHORUS_OUTBOUND_ALLOW: setting(
    '',
    'Private IP addresses or CIDR ranges that outbound requests such as webhooks and uploads may reach. The demo also allows loopback.',
    readAddresses,
  ),
  CHORUS_SANDBOX: setting(
    'on',
    '`on` starts the sandbox networks with the demo. `off` uses those that already run on `CHORUS_SANDBOX_PORT`, as `npm run dev` does.',
    onOff,
  ),
  CHORUS_SANDBOX_PORT: setting(
    '4001',
    'Port of the sandbox networks, which run with the demo. `0` picks a free port.',
    integer(0, 65_535),
  ),
  CHORUS_SANDBOX_TOKEN: setting('sandbox', 'Bearer token of the control API of the sandbox networks.', readToken),
  ...networkSettings,
  CHORUS_METRICS_TOKEN: setting(
    '',
    'Bearer token for `/metrics`. Unset allows direct requests from this machine only (as localhost, by its IP address or by the host of `CHORUS_PUBLIC_URL`), not through a proxy.',
    optional(text),
  ),
  CHORUS_LOG_LEVEL: setting('info', `Log level: one of ${logLevels.join(', ')}.`, readLogLevel),
}

type SettingName = keyof typeof settingsList
export type Settings = {
  readonly [Name in SettingName as Short<Name>]: ReturnType<(typeof settingsList)[Name]['read']>
}

/** CHORUS_DATA_DIR is `dataDir` in the code. */
type Short<Name extends string> = Name extends `CHORUS_${infer Tail}` ? Camel<Lowercase<Tail>> : never
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name

/** Reads the environment. Unknown or malformed settings are rejected: a misspelt setting must not silently become a default. */
export function readSettings(variables: NodeJS.ProcessEnv, warn: (line: string) => void = () => {}): Settings {
  const environment = withCurrentNames(variables, warn)
  const problems = Object.keys(environment)
    .filter((name) => name.startsWith('CHORUS_') && !(name in settingsList))
    .map(unknownSetting)
  const settings: Record<string, unknown> = {}
  for (const [name, { standard, read }] of Object.entries(settingsList)) {
    try {
      settings[shortName(name)] = read(environment[name] ?? standard)
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}.`)
    }
  }
  if (Boolean(settings.tlsCert) !== Boolean(settings.tlsKey))
    problems.push('CHORUS_TLS_CERT and CHORUS_TLS_KEY go together; one of them is missing.')
  if (Boolean(settings.textUrl) !== Boolean(settings.textModel))
    problems.push('CHORUS_TEXT_URL and CHORUS_TEXT_MODEL go together; one of them is missing.')
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return settings as unknown as Settings
}

const unknownSetting = (name: string) =>
  `${name} is not a setting; did you mean ${nearest(name, Object.keys(settingsList))}?`

const shortName = (name: string) =>
  name
    .slice('CHORUS_'.length)
    .toLowerCase()
    .replace(/_(\w)/g, (_, character: string) => character.toUpperCase())
