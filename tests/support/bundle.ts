import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

interface Bundle {
  /** Path of the bundled script. */
  path: string
  remove(): Promise<void>
}

/** Bundles a test script into one file: loading from sources takes a second longer. */
export async function bundled(script: string): Promise<Bundle> {
  // Inside the package, so that its dependencies are found.
  await mkdir('dist', { recursive: true })
  const folder = await mkdtemp(join('dist', 'test-'))
  const path = join(folder, 'script.mjs')
  await build({
    entryPoints: [script],
    outfile: path,
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
  })
  // Worker threads are started from their own file.
  await copyFile('src/kernel/database/heartbeat-thread.mjs', join(folder, 'heartbeat-thread.mjs'))
  return { path, remove: () => rm(folder, { recursive: true, force: true }) }
}
