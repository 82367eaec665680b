import { cp, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Program, runProgram } from '../support/program.ts'
import { openContext } from '../support/shared-browser.ts'
import { journeyFolder } from './journey.ts'

const folder = journeyFolder()
const inCopy = (path: string) => join(folder.path, path)
let dev: Program
let browser: Awaited<ReturnType<typeof openContext>>

beforeAll(async () => {
  // A copy, because its sources are changed.
  const copied = [
    'bin',
    'console',
    'demo',
    'dist',
    'migrations',
    'sandbox',
    'src',
    'package.json',
    'tsconfig.json',
    'api-examples.json',
  ]
  await Promise.all(copied.map((name) => cp(name, inCopy(name), { recursive: true, filter: isWanted })))
  await symlink(resolve('node_modules'), inCopy('node_modules'))
  dev = runProgram(
    'dev',
    [],
    { CHORUS_DATA_DIR: inCopy('data'), CHORUS_PORT: '0', CONSOLE_PORT: '0', CHORUS_LOG_LEVEL: 'error' },
    folder.path,
  )
  browser = await openContext()
})
afterAll(() => browser.close())

/** Copies only those build artifacts that need no rebuild. */
const isWanted = (path: string) => !/^dist\/(types|vite|making-)/.test(path)

const pidOf = async (what: string) =>
  Number(await dev.printed(new RegExp(`${what} is ready in [\\d.]+ s \\(pid (\\d+)\\)`)))
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('npm run dev updates a changed component without a reload, and restarts only the service when its sources change', async () => {
  const url = await dev.printed(/console with live updates at (\S+)\/app/)
  const [database, sandbox, service] = [
    await pidOf('PostgreSQL'),
    await pidOf('the sandbox'),
    await pidOf('the service'),
  ]

  const page = await browser.context.newPage()
  let loads = 0
  page.on('load', () => loads++)
  await page.goto(`${url}/app/sign-in`)
  const email = page.getByLabel('Email address')
  await email.fill('ada@example.com')
  const component = inCopy('console/ui/field.tsx')
  const source = await readFile(component, 'utf8')
  await writeFile(component, source.replace(/\{label\}(?=\s+<\/label>)/, '{label} (changed)'))
  await page.getByText('Email address (changed)').waitFor()
  expect(await page.getByLabel('Email address (changed)').inputValue()).toBe('ada@example.com')
  expect(loads).toBe(1)

  const touched = 'src/kernel/clock.ts'
  await utimes(inCopy(touched), new Date(), new Date())
  await dev.printed(/src\/kernel\/clock\.ts changed: restarting the service/)
  // A request that arrives meanwhile waits for the restart.
  expect((await fetch(`${url}/app/api/session`)).status).toBe(401)
  await dev.printed(/the service is ready in [\d.]+ s\n/)
  expect([database, sandbox, service].map(isRunning), 'only the service restarted').toEqual([true, true, false])
  expect(loads, 'the open page stayed').toBe(1)

  dev.child.kill('SIGTERM')
  expect(await dev.ended, dev.output()).toBe(0)
  expect([database, sandbox].map(isRunning)).toEqual([false, false])
})
