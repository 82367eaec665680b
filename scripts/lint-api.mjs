// `npm run lint:api`: runs public linters on the OpenAPI documents, and requests of published clients against a validating proxy. The tools
// take 170 MB, so they are installed on first use only.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const folder = 'scripts/api-tools'
const descriptions = ['openapi.json', 'app-openapi.json']
const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

if (!existsSync(`${folder}/node_modules/@stoplight/prism-cli`)) {
  console.log('Installing the linters and the proxy…')
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts']
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`npm install in ${folder} failed.`)
}

/** Findings of a linter as JSON; without findings some print plain text. */
function runTool(tool, args) {
  const { stdout, stderr, error } = spawnSync(`${folder}/node_modules/.bin/${tool}`, args, {
    env: environment,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (error || !stdout) throw new Error(`${tool} did not run: ${error ?? stderr}`)
  return stdout
}

let problems = 0
function printFindings(tool, file, found) {
  problems += found.length
  console.log(`${tool} ${file}: ${found.length === 0 ? 'no errors, no warnings' : `${found.length} problems`}`)
  for (const line of found.slice(0, 50)) console.log(`  ${line}`)
}

for (const file of descriptions) {
  const redocly = JSON.parse(
    runTool('redocly', ['lint', '--extends=recommended', '--format=json', '--max-problems=10000', file]),
  )
  printFindings(
    'Redocly',
    file,
    redocly.problems.map(
      ({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} (${location[0]?.pointer})`,
    ),
  )
  const output = runTool('spectral', [
    'lint',
    '--ruleset',
    `${folder}/spectral.yaml`,
    '--format',
    'json',
    '--fail-severity',
    'hint',
    file,
  ])
  const spectral = JSON.parse(output.slice(0, output.lastIndexOf(']') + 1) || '[]')
  printFindings(
    'Spectral',
    file,
    spectral.map(
      ({ severity, code, message, path }) =>
        `${['error', 'warn', 'info', 'hint'][severity]} ${code}: ${message} (${path.join('/')})`,
    ),
  )
}

const proxied = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'tests/proxy/vitest.config.ts'],
  {
    stdio: 'inherit',
  },
)
process.exitCode = problems === 0 && proxied.status === 0 ? 0 : 1
