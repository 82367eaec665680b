// `npm test`: what is looked at without running it, beside the tests themselves, which spend much of their time waiting.
import { spawn } from 'node:child_process'

const run = (words) =>
  new Promise((resolve) => spawn(process.execPath, words, { stdio: 'inherit' }).once('close', resolve))

const chosen = process.argv.slice(2)
const [checks, tests] = await Promise.all([
  run(['scripts/check.mjs', ...(chosen.length > 0 ? [] : ['--beside-tests'])]),
  // Much of what tests make is soon forgotten: with more room for it a tenth less time goes into collecting garbage. Little of it is called often
  // enough to be worth compiling well, and each worker would compile it anew: what is must be called more often than usual, for a sixth less time.
  run(['--max-semi-space-size=64', '--interrupt-budget=1000000', 'node_modules/vitest/vitest.mjs', 'run', ...chosen]),
])
if (checks !== 0) console.error('The checks failed: what they found is above, or shown by npm run check.')
process.exitCode = checks === 0 && tests === 0 ? 0 : 1
