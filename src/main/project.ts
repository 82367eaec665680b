import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package, found from the source as well as from the built program. */
const root = findRoot(dirname(fileURLToPath(import.meta.url)))

/** The sandbox networks, built beside the program. */
export const sandboxProgram = join(root, 'dist', 'sandbox.mjs')
/** The browser's program, built beside it. */
export const consoleFolder = join(root, 'dist', 'console')
/** The media of the demo workspace. */
export const demoMedia = join(root, 'demo', 'media')
export const migrationsFolder = join(root, 'migrations')
/** Recorded answers, for the descriptions of the interfaces. */
export const apiExamples = join(root, 'api-examples.json')
export const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

function findRoot(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : findRoot(dirname(folder))
}
