import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { cruise, type ICruiseOptions, type ICruiseResult, type IFlattenedRuleSet } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterAll, expect, test } from 'vitest'

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

async function violations(where = 'src', how: ICruiseOptions = {}): Promise<{ modules: number; found: string[] }> {
  const ruleSet = { forbidden } as IFlattenedRuleSet
  const { output } = await cruise([where], { ...options, ...how, ruleSet, validate: true }, undefined, {
    tsConfig: extractTSConfig('tsconfig.json'),
  })
  const { modules, summary } = output as ICruiseResult
  const own = modules.filter(({ source }) => source.startsWith('src/'))
  return {
    modules: own.length,
    found: summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
  }
}

/** Beside the sources, which others read at the same time: a folder that looks like theirs. */
const elsewhere = mkdtempSync(join(tmpdir(), 'chorus-planted-'))
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }))

function plant(file: string, text: string) {
  mkdirSync(dirname(join(elsewhere, file)), { recursive: true })
  writeFileSync(join(elsewhere, file), text)
}

test('every import follows the rules, and every file was looked at', async () => {
  const files = readdirSync('src', { recursive: true }).filter((name) => /\.(ts|mjs)$/.test(String(name)))
  const { modules, found } = await violations()
  expect(found).toEqual([])
  expect(modules).toBe(files.length)
})

test('a planted violation is seen, a type-only one too', async () => {
  copyFileSync('package.json', join(elsewhere, 'package.json'))
  symlinkSync(resolve('node_modules'), join(elsewhere, 'node_modules'))
  plant('src/main/endpoints.ts', 'export const endpoints = []\n')
  plant('src/main/settings.ts', 'export interface Settings {}\n')
  plant(
    'src/kernel/planted/stray.ts',
    "import { endpoints } from '#main/endpoints.ts'\nimport type { Settings } from '../../main/settings.ts'\nimport { request } from 'node:https'\nimport { Client } from 'undici'\nimport { createTransport } from 'nodemailer'\nexport const stray = (settings: Settings) => [endpoints, settings, request, Client, createTransport]\n",
  )
  const { found } = await violations('src/kernel/planted', { maxDepth: 1, baseDir: elsewhere, preserveSymlinks: true })
  expect(found).toContain('kernel-knows-no-product: src/kernel/planted/stray.ts -> src/main/endpoints.ts')
  expect(found).toContain('kernel-knows-no-product: src/kernel/planted/stray.ts -> src/main/settings.ts')
  expect(found.filter((line) => line.startsWith('outbound-opens-the-connections')).length).toBe(2)
  expect(found.filter((line) => line.startsWith('mail-leaves-through-kernel-mail')).length).toBe(1)
})
