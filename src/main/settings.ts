import { isIP } from 'node:net'
import { isAbsolute, resolve } from 'node:path'
import type { LimitRules } from '#kernel/limits/limits.ts'
import { type LogLevel, logLevels } from '#kernel/log.ts'
import { readKeyring } from '#kernel/secrets/keyring.ts'
import { nearest } from './nearest.ts'

const allRoles = ['api', 'worker', 'links'] as const
type ProcessRole = (typeof allRoles)[number]

/** One setting: what it means, its default as the README shows it, and how its text is read. */
interface Setting<Value> {
  readonly help: string
  readonly standard: string
  readonly read: (text: string) => Value
}

const setting = <Value>(standard: string, help: string, read: (text: string) => Value): Setting<Value> => ({
  help,
  standard,
  read,
})

const text = (value: string) => value
const orNothing =
  <Value>(read: (text: string) => Value) =>
  (value: string) =>
    value === '' ? undefined : read(value)
const onOff = (value: string) => {
  if (['1', 'true', 'on'].includes(value)) return true
  if (['0', 'false', 'off', ''].includes(value)) return false
  throw new Error('must be 1 or 0')
}
const whole = (least: number, most: number) => (value: string) => {
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < least || number > most)
    throw new Error(`must be a whole number from ${least} to ${most}`)
  return number
}
const url =
  (...schemes: string[]) =>
  (value: string) => {
    const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : ''
    if (!schemes.includes(scheme))
      throw new Error(`must be a URL that starts with ${schemes.map((name) => `${name}://`).join(' or ')}`)
    return value.replace(/\/+$/, '')
  }

/** Every setting of the service; `npm run generate` writes the table of the README from this. */
export const settingsList = {
  CHORUS_PORT: setting('4000', 'Port of the HTTP service; 0 takes a free one.', whole(0, 65_535)),
  CHORUS_HOST: setting('127.0.0.1', 'Address to listen on; `0.0.0.0` for all.', text),
  CHORUS_DATA_DIR: setting('data', 'Folder for the embedded database, keys and files.', (value) =>
    isAbsolute(value) ? value : resolve(value),
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
  CHORUS_DEMO: setting('0', 'Fill an empty installation with a demo workspace. `npm start` sets 1.', onOff),
  CHORUS_DEMO_API_KEY: setting('', "The demo admin's API key; random and printed when unset.", orNothing(readDemoKey)),
  CHORUS_RATE_LIMIT: setting('on', '`on`, `off`, or `second=60,five=120,day=50000,block=900`.', readLimits),
  CHORUS_SECRET_KEYS: setting(
    '',
    'Keyring for encryption at rest: `id:base64,…`, newest first; kept in the data folder when unset.',
    orNothing(checked(readKeyring)),
  ),
  CHORUS_TLS_CERT: setting('', 'Certificate file (PEM): the service then speaks TLS itself.', orNothing(text)),
  CHORUS_TLS_KEY: setting('', 'Private key file (PEM) of that certificate.', orNothing(text)),
  CHORUS_TRUSTED_PROXIES: setting('', 'Addresses or CIDR ranges whose `X-Forwarded-Proto` is believed.', readAddresses),
  CHORUS_ALLOW_HTTP: setting('0', 'Serve plain HTTP to other machines too: for private networks only.', onOff),
  CHORUS_METRICS_TOKEN: setting(
    '',
    'Bearer token for `/metrics`; without it only this machine may read them.',
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

function readRoles(value: string): readonly ProcessRole[] {
  if (value === 'all') return allRoles
  const names = value.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !(allRoles as readonly string[]).includes(name))
  if (wrong !== undefined)
    throw new Error(`names the role "${wrong}"; it must be all, or any of ${allRoles.join(', ')}`)
  return names as ProcessRole[]
}

function readLimits(value: string): LimitRules | undefined {
  const rules = { second: 60, five: 120, day: 50_000, block: 900 }
  if (value === 'off') return undefined
  for (const entry of value === 'on' ? [] : value.split(',')) {
    const [name = '', number = ''] = entry.trim().split('=')
    if (!(name in rules)) throw new Error('must be on, off, or numbers such as second=60,five=120,day=50000,block=900')
    rules[name as keyof typeof rules] = whole(1, 1_000_000_000)(number)
  }
  return { second: rules.second, fiveSeconds: rules.five, day: rules.day, blockSeconds: rules.block }
}

function readDemoKey(value: string): string {
  if (!/^[\x21-\x7e]{8,200}$/.test(value) || value.includes(':'))
    throw new Error('must be 8 to 200 printable characters without blanks and colons')
  return value
}

function readAddresses(value: string): string[] {
  const ranges = value
    .split(',')
    .map((range) => range.trim())
    .filter(Boolean)
  const wrong = ranges.find((range) => !isRange(range))
  if (wrong !== undefined) throw new Error(`holds "${wrong}", which is neither an IP address nor a CIDR range`)
  return ranges
}

function isRange(range: string): boolean {
  const [address = '', bits, ...rest] = range.split('/')
  const family = isIP(address)
  return (
    family > 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  )
}

function readLogLevel(value: string): LogLevel {
  const level = logLevels.find((known) => known === value)
  if (!level) throw new Error(`must be one of ${logLevels.join(', ')}`)
  return level
}

/** Keeps the text, having made sure that it can be read. */
function checked(read: (text: string) => unknown) {
  return (value: string) => {
    read(value)
    return value
  }
}
