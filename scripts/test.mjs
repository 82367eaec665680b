// `npm test`: runs the static checks next to the tests, which spend much of their time waiting.
import { spawn } from 'node:child_process'
import { totalmem } from 'node:os'

const run = (words) =>
  new Promise((resolve) => spawn(process.execPath, words, { stdio: 'inherit' }).once('close', resolve))

const v8Options = [
  // Test data is short-lived: a larger young generation saves a tenth of the garbage collection time.
  '--max-semi-space-size=64',
  // Avoids repeated major collections while a worker grows to the few hundred megabytes it needs; scaled down on small machines.
  `--initial-heap-size=${Math.min(700, Math.floor(totalmem() / 2 ** 20 / 32))}`,
  // Keeps compiled bytecode, which the next test file needs again.
  '--no-flush-bytecode',
  // Few functions are hot enough for optimization, and each worker would optimize them again: a higher threshold saves a sixth of the time.
  '--interrupt-budget=1000000',
]

const filters = process.argv.slice(2)
const [checks, tests] = await Promise.all([
  run(['scripts/check.mjs', ...(filters.length > 0 ? [] : ['--beside-tests'])]),
  run([...v8Options, 'node_modules/vitest/vitest.mjs', 'run', ...filters]),
])
if (checks !== 0) console.error('The checks failed: what they found is above, or shown by npm run check.')
process.exitCode = checks === 0 && tests === 0 ? 0 : 1
