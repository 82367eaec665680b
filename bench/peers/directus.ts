import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerQuery } from '#kernel/database/owner.ts'
import { createDatabase, databaseAt } from '../../tests/support/database/nodes.ts'
import { freePort, run } from '../processes.ts'

/** Used only by this benchmark, so neither it nor the Node.js version that it requires is a dependency of the project. */
const version = '12.4.0'
const nodePackage = `node-${process.platform}-${process.arch}`
const packages = { directus: version, [nodePackage]: '22.23.3', 'node-gyp': '11.5.0' }

const folder = resolve('node_modules/.cache/bench-peers', `directus-${version}`)
const nodeFolder = resolve(folder, 'node_modules', nodePackage)
const node = resolve(nodeFolder, 'bin/node')
/** Without the update check of the package's own command. */
const program = resolve(folder, 'node_modules/@directus/api/dist/cli/run.js')

/** A running Directus with an admin token and the collections `users` and `teams`. */
export interface Directus {
  name: string
  url: string
  pid: number | undefined
  headers: Record<string, string>
  /** An existing team. */
  teamId: string
}

/** Installs Directus unless it is installed, and starts it on a new database of the server with this many users. */
export async function startDirectus(serverUrl: string, users: number): Promise<Directus> {
  install()
  const port = await freePort()
  const token = randomBytes(16).toString('hex')
  await createDatabase(serverUrl, 'directus')
  const databaseUrl = databaseAt(serverUrl, 'directus')
  const environment = settings(databaseUrl, port, token)
  execFileSync(node, [program, 'bootstrap'], { cwd: folder, env: { ...process.env, ...environment } })
  const child = run(node, [program, 'start'], { cwd: folder, environment })
  const url = `http://127.0.0.1:${port}`
  await answers(`${url}/server/ping`)
  const headers = { authorization: `Bearer ${token}` }
  for (const collection of [teams, usersCollection]) await create(`${url}/collections`, headers, collection)
  const { data } = await create(`${url}/items/teams`, headers, { name: 'Europe' })
  await fill(databaseUrl, users)
  return { name: `Directus ${version}`, url, pid: child.pid, headers, teamId: data.id }
}

/** Its addon is compiled, because prebuilt ones are not in the registry. */
function install() {
  const installed = resolve(folder, 'installed')
  if (existsSync(installed)) return
  console.log(`Installing Directus ${version} for the benchmark, which takes some minutes…`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(resolve(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  execFileSync('npm', ['install', ...flags], { cwd: folder, stdio: 'pipe' })
  execFileSync(node, [resolve(folder, 'node_modules/.bin/node-gyp'), 'rebuild', '--release'], {
    cwd: resolve(folder, 'node_modules/isolated-vm'),
    // The headers of that Node.js version.
    env: { ...process.env, npm_config_nodedir: nodeFolder },
    stdio: 'pipe',
  })
  writeFileSync(installed, '')
}

/** As in production, with what it does not need for these calls switched off, and as many connections as the service has. */
const settings = (databaseUrl: string, port: number, token: string): Record<string, string> => ({
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  SECRET: randomBytes(32).toString('hex'),
  ADMIN_EMAIL: 'admin@example.com',
  ADMIN_PASSWORD: randomBytes(16).toString('hex'),
  ADMIN_TOKEN: token,
  DB_CLIENT: 'pg',
  DB_CONNECTION_STRING: databaseUrl,
  DB_POOL__MIN: '0',
  DB_POOL__MAX: '10',
  LOG_LEVEL: 'silent',
  CACHE_ENABLED: 'false',
  RATE_LIMITER_ENABLED: 'false',
  PRESSURE_LIMITER_ENABLED: 'false',
  TELEMETRY: 'false',
  SERVE_APP: 'false',
})

const column = (field: string, type: string, schema: object = {}, meta: object = {}) => ({ field, type, schema, meta })
const id = column('id', 'uuid', { is_primary_key: true, length: 36 }, { special: ['uuid'] })
const created = column('created', 'timestamp', {}, { special: ['date-created'] })
const modified = column('modified', 'timestamp', {}, { special: ['date-created', 'date-updated'] })
const texts = (...names: string[]) =>
  names.map((name) => column(name, 'string', { default_value: '', is_nullable: false }))

const teams = { collection: 'teams', schema: {}, meta: {}, fields: [id, created, modified, ...texts('name')] }

/** The columns that the service answers with. */
const usersCollection = {
  collection: 'users',
  schema: {},
  meta: {},
  fields: [
    id,
    created,
    modified,
    ...texts('status', 'name', 'first_name', 'last_name', 'email'),
    column('last_login', 'timestamp'),
    column('last_board_login', 'timestamp'),
    column('has_browser_extension', 'boolean', { default_value: false }),
    ...texts(
      'linked_in_id',
      'linked_in_name',
      'linked_in_image_url',
      'twitter_id',
      'twitter_name',
      'twitter_image_url',
    ),
    ...texts('facebook_id', 'facebook_name', 'facebook_image_url', 'timezone'),
  ],
}

/** With the index that the list's order needs. */
async function fill(databaseUrl: string, users: number) {
  await ownerQuery(
    databaseUrl,
    `insert into users (id, created, modified, status, name, first_name, last_name, email, timezone)
     select gen_random_uuid(), now() - n * interval '1 minute', now(), 'active', 'Bench ' || n, 'Bench', n::text, 'bench' || n || '@example.com', 'UTC'
     from generate_series(1, $1::int) n`,
    [users],
  )
  await ownerQuery(databaseUrl, 'create index users_by_created on users (created)')
  await ownerQuery(databaseUrl, 'vacuum analyze')
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function create(url: string, headers: Record<string, string>, body: object): Promise<any> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

const startSeconds = 120

async function answers(url: string) {
  for (let attempt = 0; attempt < startSeconds * 4; attempt++) {
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await sleep(250)
  }
  throw new Error(`${url} did not answer within ${startSeconds} seconds.`)
}
