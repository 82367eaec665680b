// `npm run check`: everything that is looked at without running it. The looks have nothing to do with each other, so they run side by side; but beside
// tests, whose beginning is the work of one thread, one after the other.
import { spawn } from 'node:child_process'

const looks = [
  'biome check --error-on-warnings .',
  // The console is checked against what the service declares, so that is written first. One checker: several do some of the work twice, and there is enough to do beside it.
  'node node_modules/typescript-7/bin/tsc -b console --checkers 1',
  'knip',
  'node scripts/check-console.mjs',
]
/** These are looked at by tests as well, which have the sources and a migrated database at hand. */
const besideTests = process.argv.includes('--beside-tests')
if (!besideTests) looks.push('tsx scripts/check-expressions.ts', 'tsx scripts/generate.ts --check')

/** The compiler ends soon and needs two gigabytes at most: sweeping up after itself meanwhile takes a fifth of its time. */
const unswept = { GOGC: 'off', GOMEMLIMIT: '3GiB' }

/** What it said is shown in one piece when it has ended. */
function run(look) {
  return new Promise((resolve) => {
    const child = spawn(look, { shell: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...unswept } })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        said += data
      })
    child.once('close', (code) => {
      process.stdout.write(code === 0 ? said : `${said}Failed: ${look}\n`)
      resolve(code === 0)
    })
  })
}

const outcomes = []
if (besideTests) for (const look of looks) outcomes.push(await run(look))
else outcomes.push(...(await Promise.all(looks.map(run))))
process.exitCode = outcomes.every(Boolean) ? 0 : 1
