import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { journeyFolder } from './journey.ts'

const folder = journeyFolder()

/** Entry points of the programs; the real ones are built by the other journeys. */
const sources = [
  'src/main/chorus.ts',
  'src/kernel/media-inspector/inspector-process.ts',
  'src/kernel/database/heartbeat-thread.mjs',
  'src/kernel/errors.ts',
  'src/kernel/permissions.ts',
  'src/networks/manifests.ts',
  'sandbox/main.ts',
  'console/main.tsx',
]

const run = async (text: string) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text], {
    cwd: folder.path,
  })
  return stdout.trim()
}

/** Prints the path of the program and the processes that the build left running, after a grace period. */
const buildScript = `
  import { readFileSync } from 'node:fs'
  const { build } = await import('./bin/build.mjs')
  const program = await build()
  const running = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ').filter(Boolean).map((pid) => readFileSync('/proc/' + pid + '/cmdline', 'utf8')).filter(Boolean)
  for (let attempt = 0; attempt < 200 && running().length > 0; attempt++) await new Promise((resolve) => setTimeout(resolve, 50))
  console.log(JSON.stringify({ program, children: running() }))
  process.exit()`

/** The output of the program, or the stack trace of its failure. */
const startScript = `
  const { build } = await import('./bin/build.mjs')
  const { main } = await import(await build())
  try { console.log(await main()) } catch (error) { console.log(error.stack) }`

const writeMain = (text: string) => writeFile(join(folder.path, 'src/main/chorus.ts'), text)
const compiled = async () => (await readdir(join(folder.path, 'dist'))).filter((name) => name.endsWith('.compiled'))

beforeAll(async () => {
  // A small separate project, so that nothing is built yet and no other program is affected.
  for (const source of sources) {
    await mkdir(join(folder.path, dirname(source)), { recursive: true })
    await writeFile(join(folder.path, source), `export const place: string = 'Chorus ${source}'\n`)
  }
  await mkdir(join(folder.path, 'bin'))
  await writeFile(join(folder.path, 'console/tokens.css'), 'h1 { color: black }\n')
  await writeFile(join(folder.path, 'console/page.html'), '<head>\n  <!-- head -->\n</head>\n')
  for (const name of ['build.mjs', 'build-console.mjs', 'load.mjs', 'read-slices.mjs'])
    await copyFile(`bin/${name}`, join(folder.path, 'bin', name))
  for (const name of ['node_modules', 'package.json']) await symlink(resolve(name), join(folder.path, name))
})

test('a build leaves no compiler process running', async () => {
  const { program, children } = JSON.parse(await run(buildScript))
  expect(await readFile(new URL('chorus.cjs', program), 'utf8')).toContain('Chorus src/main/chorus.ts')
  expect(children).toEqual([])
})

test('the build includes the console, with content hashes in file names and compressed copies', async () => {
  const inConsole = (name: string) => join(folder.path, 'dist/console', name)
  const namedIn = async () => {
    const page = await readFile(inConsole('page.html'), 'utf8')
    const script = /src="\/app\/assets\/([^"]+)"/.exec(page)?.[1] ?? ''
    return { script, style: /href="\/app\/assets\/([^"]+\.css)"/.exec(page)?.[1] ?? '' }
  }
  const { script, style } = await namedIn()
  const files = await readdir(inConsole('assets'))
  for (const name of [script, style])
    expect(files).toEqual(expect.arrayContaining([name, `${name}.br`, `${name}.gz`, `${name}.map`]))
  expect(await readFile(inConsole(`assets/${script}`), 'utf8')).toContain('Chorus console/main.tsx')
  await writeFile(join(folder.path, 'console/main.tsx'), `export const place = 'elsewhere'\n`)
  await run(buildScript)
  const next = await namedIn()
  expect([next.script === script, next.style === style]).toEqual([false, true])
  expect(await readdir(inConsole('assets')), 'open pages still find the previous files').toContain(script)
})

test('a program starts from its compile cache, and recompiles when changed or damaged', async () => {
  const mainReturning = (word: string) => `export const main = (): string => '${word}'\n`
  await writeMain(mainReturning('one'))
  expect(await run(startScript)).toBe('one')
  const first = await compiled()
  expect(first.length).toBe(1)
  expect(await run(startScript), 'from the compile cache').toBe('one')
  expect(await compiled()).toEqual(first)
  await writeMain(mainReturning('two'))
  expect(await run(startScript)).toBe('two')
  expect(await compiled()).not.toEqual(first)
  const [name = ''] = await compiled()
  await writeFile(join(folder.path, 'dist', name), 'not compiled code')
  expect(await run(startScript), 'a damaged cache is recompiled').toBe('two')
  expect((await readFile(join(folder.path, 'dist', name))).length).toBeGreaterThan(100)
})

test('packages outside of the program are loaded on demand, also when it starts from its compile cache', async () => {
  await writeMain(`export const main = async () => typeof (await import('ssh2')).default.Client\n`)
  expect(await run(startScript)).toBe('function')
  expect((await compiled()).length).toBe(1)
  expect(await run(startScript), 'from the compile cache').toBe('function')
})

test('stack traces refer to locations in the sources', async () => {
  await writeMain(
    `export function main(): never {\n  const fail = (word: string): never => {\n    if (!/[–—]/.test(word)) throw new TypeError(word)\n    return fail('')\n  }\n  return fail('Oh')\n}\n`,
  )
  const [headline, first, second, ...others] = (await run(startScript)).split('\n')
  expect(headline).toBe('TypeError: Oh')
  expect(first).toMatch(/^ {4}at fail \(src\/main\/chorus\.ts:3:\d+\)$/)
  expect(second).toMatch(/src\/main\/chorus\.ts:6:\d+\)$/)
  expect(others.join('\n'), 'frames of other code are unchanged').toMatch(/eval/)
})
