import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { journeyFolder } from './journey.ts'

const folder = journeyFolder()

/** Where each program begins; the real ones are built by every other journey. */
const sources = [
  'src/main/chorus.ts',
  'src/kernel/probe/probe-process.ts',
  'src/kernel/database/heartbeat-thread.mjs',
  'sandbox/main.ts',
]

/** Builds, and prints which processes it has left, once they had time to end. */
const script = (module: string) => `
  import { readFileSync } from 'node:fs'
  const { build } = await import(${JSON.stringify(module)})
  const program = await build()
  const running = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim().split(' ').filter(Boolean).map((pid) => readFileSync('/proc/' + pid + '/cmdline', 'utf8')).filter(Boolean)
  for (let look = 0; look < 200 && running().length > 0; look++) await new Promise((resolve) => setTimeout(resolve, 50))
  console.log(JSON.stringify({ program, children: running() }))
  process.exit()`

test('building the program leaves no compiler behind', async () => {
  // A small project of its own, so that nothing is built yet and nobody else's program is touched.
  for (const source of sources) {
    await mkdir(join(folder.path, dirname(source)), { recursive: true })
    await writeFile(join(folder.path, source), `export const place: string = 'Chorus ${source}'\n`)
  }
  await mkdir(join(folder.path, 'bin'))
  await copyFile('bin/build.mjs', join(folder.path, 'bin', 'build.mjs'))
  for (const name of ['node_modules', 'package.json']) await symlink(resolve(name), join(folder.path, name))
  const module = join(folder.path, 'bin', 'build.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script(module)])
  const { program, children } = JSON.parse(stdout)
  expect(await readFile(new URL(program), 'utf8')).toContain('Chorus src/main/chorus.ts')
  expect(children).toEqual([])
}, 120_000)
