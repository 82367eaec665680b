import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterEach, expect, test } from 'vitest'

const { forbidden, options: usual } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: IFlattenedRuleSet['forbidden']
  options: ICruiseOptions
}
/** Names resolve by package.json alone, and where a file lies does not change meanwhile; what no rule asks for is left out. */
const { tsConfig: _, ...withoutPaths } = usual
const options: ICruiseOptions = {
  ...withoutPaths,
  enhancedResolveOptions: { ...usual.enhancedResolveOptions, cachedInputFileSystem: { cacheDuration: 600_000 } },
  skipAnalysisNotInRules: true,
}

async function violations(where = ['src'], how: ICruiseOptions = {}): Promise<{ modules: number; found: string[] }> {
  const ruleSet = { forbidden } as IFlattenedRuleSet
  const { output } = await cruise(where, { ...options, ...how, ruleSet, validate: true }, undefined, {
    tsConfig: extractTSConfig('tsconfig.json'),
  })
  const { modules, summary } = output as ICruiseResult
  const own = modules.filter(({ source }) => source.startsWith('src/'))
  return {
    modules: own.length,
    found: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  }
}

const planted = ['src/kernel/planted', 'src/networks/planted', 'src/networks/content/planted', 'src/areas/planted']
afterEach(() => {
  for (const folder of planted) rmSync(folder, { recursive: true, force: true })
})

/** The names of the rules that files with these imports break. */
async function brokenBy(files: { [path: string]: readonly string[] }): Promise<string[]> {
  for (const [path, imports] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, imports.map((from) => `export * from '${from}'\n`).join(''))
  }
  return (await violations(Object.keys(files), { maxDepth: 1 })).found
}

test('every import follows the rules, and every file was looked at', async () => {
  const files = readdirSync('src', { recursive: true }).filter((name) => /\.(ts|mjs)$/.test(String(name)))
  const { modules, found } = await violations()
  expect(found).toEqual([])
  expect(modules).toBe(files.length)
})

test('a planted violation is seen, a type-only one too', async () => {
  mkdirSync('src/kernel/planted', { recursive: true })
  writeFileSync(
    'src/kernel/planted/stray.ts',
    "import { endpoints } from '#main/endpoints.ts'\nimport type { Settings } from '../../main/settings.ts'\nimport { request } from 'node:https'\nimport { Client } from 'undici'\nimport { createTransport } from 'nodemailer'\nexport const stray = (settings: Settings) => [endpoints, settings, request, Client, createTransport]\n",
  )
  const { found } = await violations(['src/kernel/planted'], { maxDepth: 1 })
  expect(found).toContain('kernel-knows-no-product: src/kernel/planted/stray.ts -> src/main/endpoints.ts')
  expect(found).toContain('kernel-knows-no-product: src/kernel/planted/stray.ts -> src/main/settings.ts')
  expect(found.filter((line) => line.startsWith('outbound-opens-the-connections')).length).toBe(2)
  expect(found.filter((line) => line.startsWith('mail-leaves-through-kernel-mail')).length).toBe(1)
})

test('networks keep to themselves, and areas to what networks share', async () => {
  const network = 'src/networks/planted/stray.ts'
  const content = 'src/networks/content/planted/stray.ts'
  const area = 'src/areas/planted/stray.ts'
  const found = await brokenBy({
    // A folder beside the shared ones is a network, whatever it is called.
    [network]: ['../x/manifest.ts', '../graph/graph.ts', '../wire/json.ts', '../content/limits.ts'],
    [content]: ['../../x/manifest.ts', 'node:crypto', '#kernel/clock.ts', '../../connector/draft.ts'],
    [area]: [
      ...['#networks/x/manifest.ts', '#networks/wire/json.ts', '#networks/graph/graph.ts'],
      ...['#networks/manifests.ts', '#networks/content/limits.ts', '#networks/connector/draft.ts'],
    ],
  })
  expect(found.filter((line) => !line.startsWith('no-orphans')).sort()).toEqual([
    `a-network-knows-no-other: ${network} -> src/networks/x/manifest.ts`,
    `areas-know-networks-by-their-interface: ${area} -> src/networks/graph/graph.ts`,
    `areas-know-networks-by-their-interface: ${area} -> src/networks/wire/json.ts`,
    `areas-know-networks-by-their-interface: ${area} -> src/networks/x/manifest.ts`,
    `browsers-check-content-too: ${content} -> crypto`,
    `browsers-check-content-too: ${content} -> src/kernel/clock.ts`,
    `what-networks-share-knows-none-of-them: ${content} -> src/networks/x/manifest.ts`,
  ])
})
