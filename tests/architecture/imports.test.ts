import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deep } from '../support/randomness.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts'

const { forbidden, options: usual } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
  forbidden: IFlattenedRuleSet['forbidden']
  options: ICruiseOptions
}
/** Imports resolve through package.json alone, and files do not move during the run; options that no rule needs are left out. */
const { tsConfig: _, ...withoutPaths } = usual
const options: ICruiseOptions = {
  ...withoutPaths,
  enhancedResolveOptions: { ...usual.enhancedResolveOptions, cachedInputFileSystem: { cacheDuration: 600_000 } },
  skipAnalysisNotInRules: true,
}

async function violations(
  folders = ['src', 'console'],
  how: ICruiseOptions = {},
): Promise<{ modules: number; found: string[] }> {
  const ruleSet = { forbidden } as IFlattenedRuleSet
  // `@/` is the console's folder, as in its tsconfig.json.
  const resolving = { alias: { '@': resolve(how.baseDir ?? '.', 'console') } }
  const { output } = await cruise(folders, { ...options, ...how, ruleSet, validate: true }, resolving, {
    tsConfig: extractTSConfig('tsconfig.json'),
  })
  const { modules, summary } = output as ICruiseResult
  const own = modules.filter(({ source }) => /^(src|console)\/.*\.(tsx?|mjs)$/.test(source))
  return {
    modules: own.length,
    found: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  }
}

// Violations are planted in a separate tree, so that parallel tests that read the sources never see them.
let tree: TemporaryFolder
beforeAll(async () => {
  tree = await temporaryFolder()
})
afterAll(() => tree.remove())

const isCode = (name: string) => /\.(tsx?|mjs)$/.test(name)
const folders = ['src', 'console', 'tests', 'sandbox', 'demo', 'bench', 'bin', 'scripts', 'chaos', 'live']
const statement = /^(?:import|export)\b[\w$*{},\s]*?'[^'\n]+'|\bimport\('[^'\n]+'\)/gm
/** In a formatted file, lines that start like this can only be imports. */
const possibleImport = /^(?:import\b|(?:export\b.*|\}) from ['"`]).*/gm

/** Copies the files reduced to their imports, because parsing takes most of the time; returns possible imports that were missed. */
function plantImports(here: string): string[] {
  const missed: string[] = []
  for (const folder of folders)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      const text = isCode(path) ? readFileSync(path, 'utf8') : ''
      if (/^(src|console)\//.test(path)) missed.push(...(text.replace(statement, '').match(possibleImport) ?? []))
      plant(here, path, (text.match(statement) ?? []).join('\n'))
    }
  copyFileSync('package.json', join(here, 'package.json'))
  symlinkSync(resolve('node_modules'), join(here, 'node_modules'))
  return missed
}

test('every import follows the rules, and every source file is checked', async () => {
  const files = ['src', 'console']
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map(String))
    .filter(isCode)
  const here = join(tree.path, 'imports')
  const { modules, found } = await deep(
    async () => {
      expect(plantImports(here)).toEqual([])
      return violations(['src', 'console'], { baseDir: here, preserveSymlinks: true })
    },
    () => violations(),
  )()
  expect(found).toEqual([])
  expect(modules).toBe(files.length)
})

/** For each rule a file that violates it, and its imports; rules about the order of folders are tested further below. */
const strays: [rule: string, file: string, ...imports: string[]][] = [
  ['no-cycles', 'src/kernel/planted/one.ts', './two.ts'],
  ['kernel-knows-no-product', 'src/kernel/planted/product.ts', '#areas/account/planted/thing.ts'],
  ['networks-know-no-area', 'src/networks/planted/area.ts', '#areas/account/planted/thing.ts'],
  ['a-network-knows-no-other', 'src/networks/planted/other.ts', '../x/manifest.ts'],
  ['what-networks-share-knows-none-of-them', 'src/networks/http/one.ts', '../x/manifest.ts'],
  ['browsers-check-content-too', 'src/networks/content/node.ts', 'node:crypto'],
  ['what-browsers-run-needs-nothing-else', 'src/kernel/permissions.ts', 'node:crypto', './clock.ts', 'zod'],
  ['areas-know-networks-by-their-interface', 'src/areas/account/planted/network.ts', '#networks/x/manifest.ts'],
  ['main-is-imported-by-nobody', 'src/areas/account/planted/main.ts', '#main/registry.ts'],
  ['contracts-are-imported-by-manifests-alone', 'src/areas/account/planted/contract.ts', './thing.api.ts'],
  ['domain-does-not-speak-http', 'src/areas/account/planted/http.ts', '#kernel/wire/fields.ts'],
  ['shapes-do-not-speak-http', 'src/areas/account/planted/thing-shape.ts', '#kernel/http/server.ts'],
  ['domain-does-not-parse', 'src/areas/account/planted/parse.ts', 'zod'],
  ['fastify-stays-at-the-front', 'src/kernel/planted/front.ts', 'fastify'],
  ['driver-stays-in-the-database', 'src/kernel/planted/driver.ts', 'pg'],
  ['mail-leaves-through-kernel-mail', 'src/kernel/planted/mail.ts', 'nodemailer'],
  ['files-leave-through-exports', 'src/kernel/planted/files.ts', 'basic-ftp', 'ssh2'],
  ['outbound-opens-the-connections', 'src/kernel/planted/outbound.ts', 'undici', 'node:https', 'node:http2'],
  ['http-is-served-by-the-front', 'src/kernel/planted/served.ts', 'node:http'],
  ['sources-do-not-need-tests', 'src/kernel/planted/tested.ts', '../../../tests/support/thing.ts'],
  ['sources-need-no-development-packages', 'src/kernel/planted/developed.ts', 'fast-check'],
  ['no-orphans', 'src/kernel/planted/alone.ts'],
  ['the-console-is-a-client', 'console/planted/client.ts', '#kernel/clock.ts', '../../tests/support/thing.ts'],
  ['the-console-takes-nothing-but-types-from-main', 'console/planted/value.ts', '#main/wire-types.ts'],
  [
    'components-know-no-product',
    'console/ui/planted.tsx',
    '@/api/known.ts',
    '@/routes/router.ts',
    '@/features/known.ts',
    '#kernel/permissions.ts',
  ],
  ['the-api-client-renders-nothing', 'console/api/planted.ts', '../ui/known.tsx', '@/features/known.ts'],
  ['a-feature-knows-no-other', 'console/features/one/planted.tsx', '@/features/two/known.tsx'],
  ['features-use-the-router-and-shortcuts-alone', 'console/features/one/other.tsx', '@/shell/shell.tsx'],
  ['the-service-does-not-need-the-console', 'src/kernel/planted/console.ts', '../../../console/planted/thing.ts'],
]
const inOrder = /^(.+-looks-only-back|.+-imports-what-it-declares|what-all-of-.+-knows-knows-no-part)$/

test('every rule reports exactly the imports that violate it', async () => {
  const here = join(tree.path, 'strays')
  for (const [, file, ...names] of strays)
    plant(here, file, ['export const one = 1\n', ...names.map((name) => `export * from '${name}'\n`)].join(''))
  const imported = [
    'src/areas/account/planted/thing',
    'src/areas/account/planted/thing.api',
    'src/networks/x/manifest',
    'src/main/registry',
    'src/main/wire-types',
    'src/kernel/clock',
    'src/kernel/wire/fields',
    'src/kernel/http/server',
    'tests/support/thing',
    'console/planted/thing',
  ]
  const ofConsole = ['api/known.ts', 'ui/known.tsx', 'routes/router.ts', 'shell/shell.tsx']
  const features = ['known.ts', 'two/known.tsx'].map((name) => `features/${name}`)
  for (const name of [...ofConsole, ...features]) plant(here, `console/${name}`, 'export const one = 1\n')
  for (const name of imported) plant(here, `${name}.ts`, 'export const one = 1\n')
  plant(here, 'src/kernel/planted/two.ts', `export * from './one.ts'\n`)
  // Types count like values, except for the types of main that the console may import.
  plant(here, 'src/areas/account/planted/typed.ts', `export type * from '#main/wire-types.ts'\n`)
  plant(here, 'console/planted/typed.ts', `export type * from '#main/wire-types.ts'\n`)
  copyFileSync('package.json', join(here, 'package.json'))
  symlinkSync(resolve('node_modules'), join(here, 'node_modules'))
  const { found } = await violations(['src', 'console'], { baseDir: here, preserveSymlinks: true })
  const seen = found.map((line) => line.split(' ')).map(([rule = '', from]) => [rule.slice(0, -1), from].join(' '))
  const expected = strays.flatMap(([rule, file, ...names]) => Array(Math.max(names.length, 1)).fill(`${rule} ${file}`))
  expect(seen.sort()).toEqual([...expected, 'main-is-imported-by-nobody src/areas/account/planted/typed.ts'].sort())
  const rules = (forbidden ?? []).map(({ name }) => name ?? '').filter((name) => !inOrder.test(name))
  expect([...new Set(strays.map(([rule]) => rule))].sort()).toEqual(rules.sort())
})

/** Imports and the rule they violate; without a rule they are allowed. */
const imports: [from: string, to: string, rule?: string][] = [
  ['account/team', 'approval/item', 'account-imports-what-it-declares'],
  ['approval/decision', 'publishing/post', 'approval-imports-what-it-declares'],
  ['approval/item', 'advocacy/story', 'approval-imports-what-it-declares'],
  ['publishing/post', 'approval/decision'],
  ['advocacy/story', 'approval/decision'],
  ['counters/counter', 'links/click', 'counters-imports-what-it-declares'],
  ['links/click', 'counters/counter'],
  ['links/click', 'sending/sender', 'links-imports-what-it-declares'],
  ['sending/sender', 'publishing/post', 'sending-imports-what-it-declares'],
  ['publishing/post', 'sending/sender'],
  ['webhooks/deliverer', 'live/channel', 'webhooks-imports-what-it-declares'],
  ['webhooks/deliverer', 'account/team'],
  ['home/overview', 'inbox/item', 'home-imports-what-it-declares'],
  ['approval/workflow', 'approval/item', 'approval-workflow-looks-only-back'],
  ['approval/item', 'approval/decision', 'approval-item-looks-only-back'],
  ['approval/decision', 'approval/editing', 'approval-decision-looks-only-back'],
  ['approval/editing', 'approval/workflow'],
  ['approval', 'approval/item', 'what-all-of-approval-knows-knows-no-part'],
  ['approval/item', 'approval'],
]

test('areas import only what their manifests declare, and parts of approval only preceding parts', async () => {
  const here = join(tree.path, 'areas')
  const expected = imports.map(([from, to, rule], number) => {
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
  expect(found.sort()).toEqual(expected.flat().sort())
})

test('networks do not import each other, and areas import only their shared interface', async () => {
  const network = 'src/networks/planted/stray.ts'
  const content = 'src/networks/content/planted/stray.ts'
  const area = 'src/areas/planted/stray.ts'
  const here = join(tree.path, 'networks')
  const shared = ['graph/graph', 'http/json', 'content/content', 'connector/draft', 'manifests', 'x/manifest']
  for (const name of [...shared.map((name) => `networks/${name}`), 'kernel/clock'])
    plant(here, `src/${name}.ts`, 'export const one = 1\n')
  copyFileSync('package.json', join(here, 'package.json'))
  const files = {
    // Any folder next to the shared ones is a network, whatever its name.
    [network]: ['../x/manifest.ts', '../graph/graph.ts', '../http/json.ts', '../content/content.ts'],
    [content]: ['../../x/manifest.ts', 'node:crypto', '#kernel/clock.ts', '../../connector/draft.ts'],
    [area]: [
      '#networks/x/manifest.ts',
      '#networks/http/json.ts',
      '#networks/graph/graph.ts',
      '#networks/manifests.ts',
      '#networks/content/content.ts',
      '#networks/connector/draft.ts',
    ],
  }
  for (const [path, from] of Object.entries(files))
    plant(here, path, from.map((name) => `export * from '${name}'\n`).join(''))
  const { found } = await violations(Object.keys(files), { maxDepth: 1, baseDir: here })
  expect(found.filter((line) => !line.startsWith('no-orphans')).sort()).toEqual([
    `a-network-knows-no-other: ${network} -> src/networks/x/manifest.ts`,
    `areas-know-networks-by-their-interface: ${area} -> src/networks/graph/graph.ts`,
    `areas-know-networks-by-their-interface: ${area} -> src/networks/http/json.ts`,
    `areas-know-networks-by-their-interface: ${area} -> src/networks/x/manifest.ts`,
    `browsers-check-content-too: ${content} -> crypto`,
    `browsers-check-content-too: ${content} -> src/kernel/clock.ts`,
    `what-networks-share-knows-none-of-them: ${content} -> src/networks/x/manifest.ts`,
  ])
})

function plant(root: string, path: string, text: string) {
  mkdirSync(join(root, dirname(path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
