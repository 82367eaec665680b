import { isAbsolute, resolve } from 'node:path'
import { logLevels } from '#kernel/log.ts'
import { readSender } from '#kernel/mail/mail.ts'
import { readAccountLimits } from '#kernel/quotas/quotas.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { readStorageUrl } from '#kernel/storage/storage-url.ts'
import { nearest } from '../commands/nearest.ts'
import { quotas } from '../registry.ts'
import { networkSettings } from './network-settings.ts'
import {
  checked,
  onOff,
  orNothing,
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
  whole,
} from './setting-readers.ts'

/** How often one user may call, and how much one account may have. */
const limitSettings = {
  CHORUS_RATE_LIMIT: setting('on', '`on`, `off`, or `second=60,five=120,day=50000,block=900`.', readLimits),
  CHORUS_ACCOUNT_LIMITS: setting(
    '',
    'What an account may have at most where it differs from [the usual limits](docs/limits.md): `tags=10000,webhooks=200,…`.',
    (text) => readAccountLimits(text, quotas),
  ),
  CHORUS_FEEDS: setting(
    'session=8,account=1000',
    'Feeds that may be open at a time in one process: of one session or API key, and of one account.',
    readFeedLimits,
  ),
}

/** Every setting of the service; `npm run generate` writes the table of the README from this. */
export const settingsList = {
  CHORUS_PORT: setting('4000', 'Port of the HTTP service; 0 takes a free one.', whole(0, 65_535)),
  CHORUS_HOST: setting('127.0.0.1', 'Address to listen on; `0.0.0.0` for all.', text),
  CHORUS_DATA_DIR: setting('data', 'Folder for the embedded database, keys and files.', (value) =>
    isAbsolute(value) ? value : resolve(value),
  ),
  CHORUS_CONSOLE: setting(
    'on',
    '`on` or `off`: whether `/app` shows the console; without it there are plain pages to sign in.',
    onOff,
  ),
  CHORUS_DATABASE_URL: setting(
    '',
    'Any PostgreSQL 15 or newer, instead of the embedded one.',
    orNothing(url('postgres', 'postgresql')),
  ),
  CHORUS_DATABASE_CONNECTIONS: setting('10', 'Connections to the database, per process.', whole(2, 1000)),
  CHORUS_ROLES: setting('all', '`all`, or any of `api,worker,links`.', readRoles),
  CHORUS_PROCESSES: setting('1', 'API processes that share the port.', whole(1, 256)),
  CHORUS_PUBLIC_URL: setting('', 'Address clients use; by default that of the port.', orNothing(url('http', 'https'))),
  CHORUS_SHORT_URL: setting(
    '',
    'Address short links start with; by default the public URL and `/l`.',
    orNothing(url('http', 'https')),
  ),
  CHORUS_DNS_SERVER: setting('', 'Name server asked about custom domains, `address:port`.', orNothing(readNameServer)),
  CHORUS_GEO: setting(
    'on',
    '`on` or `off`: whether clicks tell country, city and organisation of their address.',
    onOff,
  ),
  CHORUS_STORAGE_URL: setting(
    '',
    'Where media is kept: the data folder, or `s3://KEY:SECRET@host/bucket?region=…` for an S3-compatible store.',
    readStorageUrl,
  ),
  CHORUS_DEMO: setting('0', 'Fill an empty installation with a demo workspace. `npm start` sets 1.', onOff),
  CHORUS_DEMO_PUBLIC: setting(
    '0',
    'Run the demo also where `CHORUS_HOST` is not this machine alone; the start refuses otherwise.',
    onOff,
  ),
  CHORUS_DEMO_API_KEY: setting(
    '',
    "The demo admin's API key: 8 to 200 printable characters without blanks and colons. Random when unset. The other users' keys are this one with `-publisher`, `-contributor`, `-read` and `-other` behind it; all are printed when they are made.",
    orNothing(readDemoKey),
  ),
  ...limitSettings,
  CHORUS_SECRET_KEYS: setting(
    '',
    'Keyring for encryption at rest: `id:base64,…`, newest first; kept in the data folder when unset.',
    orNothing(checked(readKeyring)),
  ),
  CHORUS_SMTP_URL: setting(
    '',
    "SMTP server for outgoing mail, `smtp://user:password@host:587`; without it mails are kept as files in the data folder's `outbox`.",
    orNothing(url('smtp', 'smtps')),
  ),
  CHORUS_MAIL_FROM: setting('Chorus <chorus@localhost>', 'Sender of outgoing mail.', checked(readSender)),
  CHORUS_TLS_CERT: setting('', 'Certificate file (PEM): the service then speaks TLS itself.', orNothing(text)),
  CHORUS_TLS_KEY: setting('', 'Private key file (PEM) of that certificate.', orNothing(text)),
  CHORUS_TRUSTED_PROXIES: setting('', 'Addresses or CIDR ranges whose `X-Forwarded-…` is believed.', readAddresses),
  CHORUS_ALLOW_HTTP: setting('0', 'Serve plain HTTP to other machines too: for private networks only.', onOff),
  CHORUS_PUBLISH_LATENESS: setting(
    '60m',
    'How late a post may go out by itself, after an outage for example; one that is later waits for a person.',
    readWait,
  ),
  CHORUS_PUBLISH_LOOKS: setting(
    '15s,1m,5m',
    'When to look for a post whose answer got lost, counted from when it was sent; the last look decides.',
    readWaits,
  ),
  CHORUS_POLL_SECONDS: setting(
    '',
    'Seconds from polling a profile to polling it again, at least: 60 by default, 10 while the demo is on. Networks have longer intervals of their own (docs/budgets.md), which the demo does not keep. 0 polls no network and tells none to call; what they push is taken all the same.',
    orNothing(whole(0, 86_400)),
  ),
  CHORUS_STREAM_SECONDS: setting(
    '',
    'Seconds from fetching a stream that somebody looks at to fetching it again, at least: 60 by default, 10 while the demo is on. Networks may have longer intervals of their own.',
    orNothing(whole(1, 86_400)),
  ),
  CHORUS_WEBHOOK_WAITS: setting(
    '5s,5m,30m,2h,5h,10h,14h,20h,24h',
    'Waits between the attempts of a webhook delivery, each ±20 %.',
    readWaits,
  ),
  CHORUS_AUDIT_DAYS: setting('365', 'How many days the audit log keeps who changed what.', whole(1, 36_500)),
  CHORUS_TEXT_URL: setting(
    '',
    "Server of a language model that makes advocates' messages, up to where its paths begin (`https://…/v1`); it speaks the chat interface of OpenAI. Without it they are made of a story's own sentences.",
    orNothing(url('http', 'https')),
  ),
  CHORUS_TEXT_MODEL: setting('', 'Name of the model there.', orNothing(text)),
  CHORUS_TEXT_KEY: setting('', 'Bearer token for it.', orNothing(text)),
  CHORUS_OUTBOUND_ALLOW: setting(
    '',
    'Private addresses or CIDR ranges that webhooks and uploads may call; loopback as well while the demo is on.',
    readAddresses,
  ),
  CHORUS_SANDBOX_PORT: setting(
    '4001',
    'Port of the sandbox networks, which run while the demo is on; 0 takes a free one.',
    whole(0, 65_535),
  ),
  CHORUS_SANDBOX_TOKEN: setting('sandbox', "Bearer token of the sandbox networks' control plane.", readToken),
  ...networkSettings,
  CHORUS_METRICS_TOKEN: setting(
    '',
    'Bearer token for `/metrics`; without it only this machine may read them (as localhost, by its address or by the host of `CHORUS_PUBLIC_URL`), and no proxy on it.',
    orNothing(text),
  ),
  CHORUS_LOG_LEVEL: setting('info', `One of ${logLevels.join(', ')}.`, readLogLevel),
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

/** Reads the environment. Anything unknown or malformed is refused: a misspelt setting must not be a silent default. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
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
    .replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
