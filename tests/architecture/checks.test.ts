import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

/** Runs the tools of `npm run check` on a project that violates their rules. */

const run = promisify(execFile)
let tree: TemporaryFolder
beforeAll(async () => {
  tree = await temporaryFolder()
  for (const name of ['biome.json', 'knip.json', 'package.json', 'tsconfig.json', '.gitignore'])
    copyFileSync(name, join(tree.path, name))
})
afterAll(() => tree.remove())

function plant(path: string, text: string) {
  mkdirSync(join(tree.path, dirname(path)), { recursive: true })
  writeFileSync(join(tree.path, path), text)
}

/** The output of a program run in the temporary project, whether it succeeds or fails. */
async function outputOf(program: string, ...args: string[]): Promise<string> {
  const result = await run(process.execPath, [resolve('node_modules', program), ...args], { cwd: tree.path }).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return result.stdout + result.stderr
}

/** Path and content of a file, and the linter rule it violates; no rule if it is allowed. */
const plants: [path: string, text: string, rule?: string][] = [
  ['src/areas/planted/call.ts', `export const answer = fetch('https://example.com')\n`, 'noRestrictedGlobals'],
  ['console/planted/call.ts', `export const answer = fetch('/app/api/session')\n`, 'noRestrictedGlobals'],
  ['console/api/call.ts', `export const answer = fetch('/app/api/session')\n`],
  ['tests/planted/call.ts', `export const answer = fetch('https://example.com')\n`],
  ['src/areas/planted/settings.ts', `export const home = process.env.HOME\n`, 'noProcessEnv'],
  ['src/main/chorus.ts', `export const home = process.env.HOME\n`],
  ['src/areas/planted/any.ts', `export const anything = (value: any) => value\n`, 'noExplicitAny'],
  ['src/areas/planted/unused.ts', `const unused = 1\n`, 'noUnusedVariables'],
  ['src/areas/planted/node.ts', `export * from 'fs'\n`, 'useNodejsImportProtocol'],
  ['src/areas/planted/format.ts', `export const spread = {a:1}\n`, 'format'],
]

describe('the linter checks', () => {
  let findings: { rule: string; path: string }[]
  beforeAll(async () => {
    for (const [path, text] of plants) plant(path, text)
    const output = await outputOf('@biomejs/biome/bin/biome', 'check', '--vcs-enabled=false', '--reporter=json', '.')
    const { diagnostics } = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as {
      diagnostics: { category: string; location: { path: string | { file: string } } }[]
    }
    findings = diagnostics.map(({ category, location: { path } }) => ({
      rule: category.split('/').at(-1) ?? '',
      path: typeof path === 'string' ? path : path.file,
    }))
  })

  test.each(plants)('%s with %j', (path, _, rule) => {
    const rules = findings.filter((finding) => finding.path.endsWith(path)).map((finding) => finding.rule)
    expect([...new Set(rules)]).toEqual(rule ? [rule] : [])
  })
})

test('knip reports unused files, exports and packages', async () => {
  // Linked only now, because the linter would read all of it.
  symlinkSync(resolve('node_modules'), join(tree.path, 'node_modules'))
  plant('src/main/chorus.ts', `import { used } from './planted.ts'\n\nexport const start = used\n`)
  plant('src/main/planted.ts', `export const used = 1\nexport const needless = 2\n`)
  plant('src/main/lonely.ts', `export const lonely = 1\n`)
  const output = await outputOf('knip/bin/knip.js', '--no-progress')
  for (const finding of ['src/main/lonely.ts', 'needless', 'kysely']) expect(output).toContain(finding)
  expect(output).not.toContain('used  src/main/planted.ts')
})

test('the terminology check reports retired terms in code and documentation, but not current ones', async () => {
  plant('src/areas/planted/retired.ts', `export const rhythm = 1\n`)
  plant('docs/planted.md', 'Rows are locked by `heldRows`.\n')
  plant('src/areas/planted/current.ts', `export const pollingIntervals = 1\n`)
  const failure = await run(process.execPath, [resolve('scripts/check-terms.mjs'), tree.path]).catch(
    (error: { code: number; stdout: string }) => error,
  )
  expect(failure).toMatchObject({ code: 1 })
  expect(failure.stdout).toContain('src/areas/planted/retired.ts:1: "rhythm" is retired; use polling intervals.')
  expect(failure.stdout).toContain('docs/planted.md:1: "heldRows" is retired')
  expect(failure.stdout).not.toContain('current.ts')
})
