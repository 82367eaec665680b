import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package folder, from the sources as well as from the built program. */
const root = findRoot(dirname(fileURLToPath(import.meta.url)))

export const sandboxProgram = join(root, 'dist', 'sandbox.mjs')
/** The built console. */
export const consoleFolder = join(root, 'dist', 'console')
export const demoMedia = join(root, 'demo', 'media')
/** The migrations of the whole schema, and those that areas have in a folder of their own. */
export const migrationFolders: readonly string[] = [join(root, 'migrations'), ...migrationFoldersOfAreas()]
/** Recorded responses for the OpenAPI documents. */
export const apiExamples = join(root, 'api-examples.json')
export const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

function migrationFoldersOfAreas(): string[] {
  const areas = join(root, 'src', 'areas')
  return readdirSync(areas)
    .map((area) => join(areas, area, 'migrations'))
    .filter(existsSync)
}

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder))
}
