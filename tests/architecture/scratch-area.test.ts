import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

/**
 * An area is its folder and one line: the area in tests/fixtures/scratch-area is added to a copy of the project, and its tests run there. A second
 * copy has a query without a visibility condition, which the tests must find.
 */

const fixture = 'tests/fixtures/scratch-area'
const area = 'src/areas/parcels'
const generated = [
  ...['src/kernel/database/tables.ts', 'schema.sql', 'openapi.json', 'app-openapi.json'],
  ...['docs/permissions.md', 'docs/limits.md'],
]

let folder: TemporaryFolder
let tree: string
let unscoped: string
let changes: string
let compiled: string
let tested: Outcome
let testedUnscoped: Outcome
beforeAll(async () => {
  folder = await temporaryFolder()
  tree = join(folder.path, 'tree')
  unscoped = join(folder.path, 'unscoped')
  const files = await git(resolve('.'), 'ls-files', '--cached', '--others', '--exclude-standard')
  for (const file of files.split('\n').filter((name) => name && !name.startsWith('docs/pictures/'))) copy(file)
  symlinkSync(resolve('node_modules'), join(tree, 'node_modules'))
  await git(tree, 'init', '--quiet')
  await git(tree, 'add', '--all')
  await git(tree, ...['-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '-m', 'Copy'])
  cpSync(fixture, join(tree, area), { recursive: true })
  appendFileSync(join(tree, 'src/main/areas.ts'), `export { parcels } from '#areas/parcels/area.ts'\n`)
  await node(tree, 'node_modules/tsx/dist/cli.mjs', 'scripts/generate.ts')
  changes = await git(tree, 'status', '--porcelain', '--untracked-files=normal')
  cpSync(tree, unscoped, { recursive: true, filter: (path) => !path.endsWith('.git') })
  removeScopeCondition()
  // At the same time: none of them uses more than one core.
  const outcomes = await Promise.all([
    compile(),
    runTests(tree, '[Pp]arcel|every table has an owner', [
      ...['every-endpoint', 'references', 'event-scopes'].map((name) => `tests/contract/${name}.test.ts`),
      ...['list-plans', 'table-owners'].map((name) => `tests/architecture/${name}.test.ts`),
      `${area}/parcel/parcel.test.ts`,
    ]),
    runTests(unscoped, '[Pp]arcel', ['tests/contract/references.test.ts']),
  ])
  ;[compiled, tested, testedUnscoped] = outcomes
})
afterAll(() => folder.remove())

function copy(file: string) {
  mkdirSync(join(tree, dirname(file)), { recursive: true })
  cpSync(file, join(tree, file))
}

const run = promisify(execFile)

/** Without the settings of this test run. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(TEST|VITEST|CHORUS)/.test(name)),
)

async function node(cwd: string, ...args: string[]) {
  const env = { ...environment, TEST_BUILD: 'none', GOGC: 'off', NODE_ENV: 'test' }
  const options = { cwd, env, maxBuffer: 64 * 2 ** 20 }
  return run(process.execPath, args, options).catch(
    (error: Error & { stdout: string; stderr: string; code: number }) => error,
  )
}

const git = async (cwd: string, ...args: string[]) => (await run('git', args, { cwd, maxBuffer: 16 * 2 ** 20 })).stdout

interface Results {
  testResults: { assertionResults: { fullName: string; status: string; failureMessages: string[] }[] }[]
}

interface Outcome {
  output: string
  passed: string[]
  failed: string[]
}

/** Runs the tests of some files whose names match. */
async function runTests(cwd: string, pattern: string, files: readonly string[]): Promise<Outcome> {
  const report = join(cwd, 'results.json')
  const { stdout, stderr } = await node(
    cwd,
    ...['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', '--reporter=json', `--outputFile=${report}`],
    ...['-t', pattern, ...files],
  )
  const output = stdout + stderr
  if (!existsSync(report)) throw new Error(output)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Results
  const all = testResults.flatMap(({ assertionResults }) => assertionResults)
  const named = (status: string) => all.filter((one) => one.status === status).map(({ fullName }) => fullName)
  return { output, passed: named('passed'), failed: named('failed') }
}

/** The area with the registry and its tests: the console, which the area does not concern, is left out. */
async function compile(): Promise<string> {
  const compilerOptions = { composite: false, incremental: false, emitDeclarationOnly: false, noEmit: true }
  const files = ['src/main/registry.ts', 'tests/support/database/server.ts']
  const include = [area, 'src/**/*.d.ts']
  const config = { extends: './tsconfig.json', compilerOptions, include, files }
  writeFileSync(join(tree, 'tsconfig.area.json'), JSON.stringify(config))
  const args = ['node_modules/typescript-7/bin/tsc', '-p', 'tsconfig.area.json', '--checkers', '1']
  const { stdout, stderr } = await node(tree, ...args)
  return stdout + stderr
}

function removeScopeCondition() {
  const file = join(unscoped, area, 'parcel/parcel.ts')
  const text = readFileSync(file, 'utf8')
  const scope = `\n    .where(withinTeams(context, 'campaign_id'))`
  expect(text).toContain(scope)
  writeFileSync(file, text.replace(scope, ''))
}

test('adding an area changes its folder, one line and generated files', async () => {
  const changed = changes.split('\n').filter(Boolean)
  expect(changed).toContain(`?? ${area}/`)
  const others = changed.filter((line) => !line.endsWith(`${area}/`)).map((line) => line.slice(3))
  expect(others.filter((file) => !generated.includes(file))).toEqual(['src/main/areas.ts'])
  expect((await git(tree, 'diff', '--numstat', 'src/main/areas.ts')).trim()).toBe('1\t0\tsrc/main/areas.ts')
})

test('generated files contain its operations, permissions, quota and table', () => {
  const text = (file: string) => readFileSync(join(tree, file), 'utf8')
  const { paths, tags } = JSON.parse(text('openapi.json'))
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/parcel', '/parcel/{id}']))
  expect(tags.map(({ name }: { name: string }) => name)).toContain('Parcels')
  expect(text('app-openapi.json')).toContain('/parcel/{id}/pack')
  expect(text('docs/permissions.md')).toContain('GET /parcel/{id}')
  expect(text('docs/limits.md')).toContain('`parcels`')
  expect(text('src/kernel/database/tables.ts')).toMatch(/^ {2}parcels: /m)
  expect(text('schema.sql')).toMatch(/^create table parcels /m)
})

test('it compiles with the registry and its tests', () => expect(compiled).toBe(''))

test('the tests of endpoints, references, events, lists and tables cover it and pass', () => {
  const { output, passed, failed } = tested
  expect(failed, output).toEqual([])
  for (const name of [
    ...['GET /parcel', 'GET /parcel/{id}', 'POST /parcel', 'POST /app/api/parcel/{id}/pack'].flatMap((route) => [
      `${route} responds 401 without credentials`,
      `${route} succeeds with its example`,
    ]),
    'GET /parcel responds alike to hidden, foreign and unknown ids in campaignId',
    'GET /parcel/{id} responds alike to hidden, foreign and unknown ids in id',
    'POST /parcel responds alike to hidden, foreign and unknown ids in campaignId',
    'POST /app/api/parcel/{id}/pack responds alike to hidden, foreign and unknown ids in id',
    'parcelPacked has a cause in a contract fixture',
    'parcelPacked of a campaign is visible to the campaign’s team',
    "lists of 'parcels' use indexes",
    'GET /parcel is covered by list plans',
    'every table has an owner',
    'the demo workspace has a parcel',
    'an account has a maximum of parcels',
    'the job of parcels recurs',
  ])
    expect(passed, name).toContainEqual(expect.stringContaining(name))
})

test('the tests find a query of it without a visibility condition', () => {
  const { passed, failed } = testedUnscoped
  expect(failed.sort()).toEqual([
    'GET /parcel responds alike to hidden, foreign and unknown ids in campaignId',
    'GET /parcel/{id} responds alike to hidden, foreign and unknown ids in id',
    'POST /app/api/parcel/{id}/pack responds alike to hidden, foreign and unknown ids in id',
  ])
  expect(passed).toEqual(['POST /parcel responds alike to hidden, foreign and unknown ids in campaignId'])
})
