// `npm run check`: static checks. They are independent and run in parallel; next to the tests, whose startup is single-threaded, they run
// one after the other.
import { spawn } from 'node:child_process'

const checks = [
  'biome check --error-on-warnings .',
  // The console is checked against the declarations of the service, so those are emitted first. One checker: several duplicate some work,
  // and the cores are already busy.
  'node node_modules/typescript-7/bin/tsc -b console --checkers 1',
  'knip',
  'node scripts/check-console.mjs',
  'node scripts/check-terms.mjs',
]
/** The tests run these checks too, with the sources and a migrated database already loaded. */
const isBesideTests = process.argv.includes('--beside-tests')
if (!isBesideTests) checks.push('tsx scripts/check-expressions.ts', 'tsx scripts/generate.ts --check')

/** The compiler is short-lived and needs at most two gigabytes: garbage collection would take a fifth of its time. */
const compilerEnvironment = { GOGC: 'off', GOMEMLIMIT: '3GiB' }

/** Output is buffered, so that parallel checks don't mix theirs. */
function run(command) {
  return new Promise((resolve) => {
    const child = spawn(command, {
      shell: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...compilerEnvironment },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        output += data
      })
    child.once('close', (code) => {
      process.stdout.write(code === 0 ? output : `${output}Failed: ${command}\n`)
      resolve(code === 0)
    })
  })
}

const outcomes = []
if (isBesideTests) for (const command of checks) outcomes.push(await run(command))
else outcomes.push(...(await Promise.all(checks.map(run))))
process.exitCode = outcomes.every(Boolean) ? 0 : 1
