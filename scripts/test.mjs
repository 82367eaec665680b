// `npm test`: what is looked at without running it, beside the tests themselves, which spend much of their time waiting.
import { spawn } from 'node:child_process'
import { totalmem } from 'node:os'

const run = (words) =>
  new Promise((resolve) => spawn(process.execPath, words, { stdio: 'inherit' }).once('close', resolve))

const forManyShortLives = [
  // Much of what tests make is soon forgotten: with more room for it a tenth less time goes into collecting garbage.
  '--max-semi-space-size=64',
  // And what stays is not looked through again and again while a worker grows to the few hundred megabytes it needs; where there is little memory, it is.
  `--initial-heap-size=${Math.min(700, Math.floor(totalmem() / 2 ** 20 / 32))}`,
  // Nor is what was compiled given up, to be compiled again when the next file calls it.
  '--no-flush-bytecode',
  // Little is called often enough to be worth compiling well, and each worker would compile it anew: what is must be called more often than usual,
  // for a sixth less time.
  '--interrupt-budget=1000000',
]

const chosen = process.argv.slice(2)
const [checks, tests] = await Promise.all([
  run(['scripts/check.mjs', ...(chosen.length > 0 ? [] : ['--beside-tests'])]),
  run([...forManyShortLives, 'node_modules/vitest/vitest.mjs', 'run', ...chosen]),
])
if (checks !== 0) console.error('The checks failed: what they found is above, or shown by npm run check.')
process.exitCode = checks === 0 && tests === 0 ? 0 : 1
