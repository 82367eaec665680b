import { copyFileSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

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

// Violations are planted in a tree of its own: whoever else looks through the sources meanwhile meets none of them.
let tree: TemporaryFolder
beforeAll(async () => {
  tree = await temporaryFolder()
})
afterAll(() => tree.remove())

test('every import follows the rules, and every file was looked at', async () => {
  const files = readdirSync('src', { recursive: true }).filter((name) => /\.(ts|mjs)$/.test(String(name)))
  const { modules, found } = await violations()
  expect(found).toEqual([])
  expect(modules).toBe(files.length)
})

test('a planted violation is seen, a type-only one too', async () => {
  const here = join(tree.path, 'one')
  plant(here, 'src/main/endpoints.ts', 'export const endpoints = []\n')
  plant(here, 'src/main/settings.ts', 'export interface Settings {}\n')
  plant(
    here,
    'src/kernel/planted/stray.ts',
    "import { endpoints } from '#main/endpoints.ts'\nimport type { Settings } from '../../main/settings.ts'\nimport { request } from 'node:https'\nimport { Client } from 'undici'\nimport { createTransport } from 'nodemailer'\nexport const stray = (settings: Settings) => [endpoints, settings, request, Client, createTransport]\n",
  )
  copyFileSync('package.json', join(here, 'package.json'))
  symlinkSync(resolve('node_modules'), join(here, 'node_modules'))
  const { found } = await violations(['src/kernel/planted'], { maxDepth: 1, baseDir: here, preserveSymlinks: true })
  expect(found).toContain('kernel-knows-no-product: src/kernel/planted/stray.ts -> src/main/endpoints.ts')
  expect(found).toContain('kernel-knows-no-product: src/kernel/planted/stray.ts -> src/main/settings.ts')
  expect(found.filter((line) => line.startsWith('outbound-opens-the-connections')).length).toBe(2)
  expect(found.filter((line) => line.startsWith('mail-leaves-through-kernel-mail')).length).toBe(1)
})

/** Who imports whom, and what the rules say to it; where they say nothing, it is allowed. */
const imports: [from: string, to: string, rule?: string][] = [
  ['account/team', 'approval/item', 'account-looks-only-back'],
  ['approval/decision', 'publishing/post', 'approval-looks-only-back'],
  ['approval/item', 'advocacy/story', 'approval-looks-only-back'],
  ['publishing/post', 'approval/decision'],
  ['advocacy/story', 'approval/decision'],
  ['figures/counter', 'links/click', 'figures-looks-only-back'],
  ['links/click', 'figures/counter'],
  ['links/click', 'sending/lane', 'links-looks-only-back'],
  ['sending/lane', 'publishing/post', 'sending-looks-only-back'],
  ['publishing/post', 'sending/lane'],
  ['webhooks/delivery', 'live/channel', 'webhooks-looks-only-back'],
  ['live/channel', 'webhooks/delivery'],
  ['approval/workflow', 'approval/item', 'approval-workflow-looks-only-back'],
  ['approval/item', 'approval/note', 'approval-item-looks-only-back'],
  ['approval/note', 'approval/decision', 'approval-note-looks-only-back'],
  ['approval/decision', 'approval/editing', 'approval-decision-looks-only-back'],
  ['approval/editing', 'approval/workflow'],
  ['approval', 'approval/item', 'what-all-of-approval-knows-knows-no-part'],
  ['approval/item', 'approval'],
]

test('areas and the parts of approval know only what comes before them', async () => {
  const here = join(tree.path, 'areas')
  const said = imports.map(([from, to, rule], number) => {
    const [importer, imported] = [`src/areas/${from}/from-${number}.ts`, `src/areas/${to}/to-${number}.ts`]
    const path = relative(dirname(importer), imported)
    plant(
      here,
      importer,
      `import { one } from '${path.startsWith('.') ? path : `./${path}`}'\nexport const two = one\n`,
    )
    plant(here, imported, 'export const one = 1\n')
    return rule ? [`${rule}: ${importer} -> ${imported}`] : []
  })
  const { modules, found } = await violations(['src'], { baseDir: here })
  expect(modules).toBe(2 * imports.length)
  expect(found.sort()).toEqual(said.flat().sort())
})

test('networks keep to themselves, and areas to what networks share', async () => {
  const network = 'src/networks/planted/stray.ts'
  const content = 'src/networks/content/planted/stray.ts'
  const area = 'src/areas/planted/stray.ts'
  const here = join(tree.path, 'networks')
  const shared = ['graph/graph', 'wire/json', 'content/limits', 'connector/draft', 'manifests', 'x/manifest']
  for (const name of [...shared.map((name) => `networks/${name}`), 'kernel/clock'])
    plant(here, `src/${name}.ts`, 'export const one = 1\n')
  copyFileSync('package.json', join(here, 'package.json'))
  const files = {
    // A folder beside the shared ones is a network, whatever it is called.
    [network]: ['../x/manifest.ts', '../graph/graph.ts', '../wire/json.ts', '../content/limits.ts'],
    [content]: ['../../x/manifest.ts', 'node:crypto', '#kernel/clock.ts', '../../connector/draft.ts'],
    [area]: [
      ...['#networks/x/manifest.ts', '#networks/wire/json.ts', '#networks/graph/graph.ts'],
      ...['#networks/manifests.ts', '#networks/content/limits.ts', '#networks/connector/draft.ts'],
    ],
  }
  for (const [path, from] of Object.entries(files))
    plant(here, path, from.map((name) => `export * from '${name}'\n`).join(''))
  const { found } = await violations(Object.keys(files), { maxDepth: 1, baseDir: here })
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

function plant(where: string, path: string, text: string) {
  mkdirSync(join(where, dirname(path)), { recursive: true })
  writeFileSync(join(where, path), text)
}
