import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { readSlices } from './read-slices.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const sourceFolder = join(root, 'console')
/** Examples of all components, for development and tests. */
const galleryFolder = join(sourceFolder, 'gallery')
const outputFolder = join(root, 'dist', 'console')
const page = join(outputFolder, 'page.html')
const stampFile = join(outputFolder, 'built-from')

/** Inputs of the console: its own folder, and the modules of the service that run in browsers. */
const sources = ['console', 'src/networks', 'src/kernel/errors.ts', 'src/kernel/permissions.ts']
const additionalInputs = ['package.json', 'bin/build-console.mjs']

export const isConsoleBuilt = (from = fingerprint()) =>
  existsSync(page) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === from

/** Builds the console unless the existing build is up to date. */
export async function buildConsole() {
  const from = fingerprint()
  if (isConsoleBuilt(from)) return
  const { build, stop } = await import('esbuild')
  // esbuild runs as a child process and would otherwise stay alive as long as the service.
  await make(build).finally(stop)
  writeFileSync(stampFile, from)
}

function fingerprint() {
  const digest = createHash('sha256')
  const add = (file) => {
    digest.update(file)
    readSlices(join(root, file), (slice) => digest.update(slice))
  }
  for (const source of sources) {
    if (!statSync(join(root, source)).isDirectory()) add(source)
    else
      for (const file of filesIn(join(root, source)))
        if (!/\.test\.tsx?$/.test(file) && !file.startsWith(galleryFolder)) add(relative(root, file))
  }
  for (const file of additionalInputs) add(file)
  return digest.digest('hex')
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/**
 * Builds chunks that are loaded on demand, one stylesheet, and the page that loads both. File names contain content hashes; new files are
 * added first and the page is replaced last, so that a concurrent start never sees a partial build.
 */
async function make(build) {
  mkdirSync(join(outputFolder, 'assets'), { recursive: true })
  const temporaryFolder = mkdtempSync(join(outputFolder, 'making-'))
  try {
    // One run for both, so that CSS module classes have the same names in scripts and styles.
    const { metafile } = await build({
      ...options(temporaryFolder),
      entryPoints: { console: join(sourceFolder, 'main.tsx'), style: stylesheet(temporaryFolder) },
    })
    const style = entryOf(metafile, 'style')
    for (const file of readdirSync(temporaryFolder))
      if (/\.css(\.map)?$/.test(file) && !file.startsWith(style)) rmSync(join(temporaryFolder, file))
    await compress(temporaryFolder)
    for (const file of readdirSync(temporaryFolder))
      renameSync(join(temporaryFolder, file), join(outputFolder, 'assets', file))
    const parts = { ...partsOf(metafile), style }
    writeFileSync(join(temporaryFolder, 'parts.json'), JSON.stringify(parts, null, 2))
    writeFileSync(join(temporaryFolder, 'page.html'), pageOf(parts))
    for (const file of ['parts.json', 'page.html']) renameSync(join(temporaryFolder, file), join(outputFolder, file))
    removeOldFiles()
  } finally {
    rmSync(temporaryFolder, { recursive: true })
  }
}

/** Builds the gallery as the console is built, into a folder for the tests, with a page that loads it. */
export async function buildGallery(folder) {
  const { build, stop } = await import('esbuild')
  const { metafile } = await build({
    ...options(folder),
    entryPoints: { gallery: join(galleryFolder, 'main.tsx'), style: stylesheet(folder, { withGallery: true }) },
  }).finally(stop)
  const head = [
    `<link rel="stylesheet" href="/app/assets/${entryOf(metafile, 'style')}">`,
    `<script type="module" src="/app/assets/${entryOf(metafile, 'gallery')}"></script>`,
  ]
  const page = readFileSync(join(sourceFolder, 'page.html'), 'utf8').replace('<!-- head -->', head.join('\n  '))
  writeFileSync(join(folder, 'page.html'), page)
}

const options = (outdir) => ({
  outdir,
  bundle: true,
  minify: true,
  splitting: true,
  format: 'esm',
  metafile: true,
  logLevel: 'warning',
  // Browsers of the last thirty months; newer CSS syntax is lowered for them.
  target: ['es2023', 'chrome125', 'edge125', 'firefox126', 'safari17.5'],
  jsx: 'automatic',
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  assetNames: '[name]-[hash]',
  publicPath: '/app/assets/',
  sourcemap: 'linked',
  loader: { '.woff2': 'file', '.svg': 'file' },
  // Raised for a class that a CSS module does not define.
  logOverride: { 'import-is-undefined': 'error' },
  define: { 'process.env.NODE_ENV': '"production"' },
})

/** Combines all stylesheets into one. Cascade layers define the order, so a stylesheet only has to be next to its component. */
function stylesheet(temporaryFolder, { withGallery = false } = {}) {
  const isIncluded = (file) => file.endsWith('.css') && (withGallery || !file.startsWith(galleryFolder))
  const files = filesIn(sourceFolder).filter(isIncluded)
  const first = join(sourceFolder, 'tokens.css')
  const sheet = join(temporaryFolder, 'all.css')
  const imports = [first, ...files.filter((file) => file !== first)].map((file) => `@import ${JSON.stringify(file)};\n`)
  writeFileSync(sheet, imports.join(''))
  return sheet
}

/** The initial files, and each lazy chunk with the files only it needs. */
function partsOf(metafile) {
  const outputs = Object.fromEntries(
    Object.entries(metafile.outputs).map(([path, output]) => [
      nameOf(path),
      { ...output, imports: output.imports.map((one) => ({ ...one, path: nameOf(one.path) })) },
    ]),
  )
  const withAll = (name, seen = new Set()) => {
    if (seen.has(name) || !outputs[name]) return seen
    seen.add(name)
    for (const { path, kind } of outputs[name].imports) if (kind === 'import-statement') withAll(path, seen)
    return seen
  }
  const first = withAll(entryOf(metafile, 'console'))
  const later = Object.entries(outputs)
    .filter(([name, { entryPoint }]) => entryPoint && !first.has(name) && name.endsWith('.js'))
    .map(([name, { entryPoint }]) => [entryPoint, [...withAll(name)].filter((part) => !first.has(part))])
  return { first: [...first], later: Object.fromEntries(later) }
}

const nameOf = (path) => path.split('/').at(-1)
const entryOf = ({ outputs }, entry) =>
  Object.entries(outputs)
    .filter(([, { entryPoint }]) => entryPoint)
    .map(([path]) => nameOf(path))
    .find((name) => name.startsWith(`${entry}-`) && name.endsWith(entry === 'style' ? '.css' : '.js'))

function pageOf({ first, later, style }) {
  const [program, ...parts] = first
  const font = readdirSync(join(outputFolder, 'assets')).find((name) =>
    /^inter-latin-wght-normal-.*\.woff2$/.test(name),
  )
  const icon = readdirSync(join(outputFolder, 'assets')).find((name) => /^icon-.*\.svg$/.test(name))
  const head = [
    `<link rel="icon" href="/app/assets/${icon}">`,
    `<link rel="preload" href="/app/assets/${font}" as="font" type="font/woff2" crossorigin>`,
    `<link rel="stylesheet" href="/app/assets/${style}">`,
    // Nothing renders without texts.
    ...[...parts, ...(later['console/i18n/en/en.ts'] ?? [])].map(
      (name) => `<link rel="modulepreload" href="/app/assets/${name}">`,
    ),
    `<script type="module" src="/app/assets/${program}"></script>`,
  ]
  return readFileSync(join(sourceFolder, 'page.html'), 'utf8').replace(
    '  <!-- head -->',
    head.map((line) => `  ${line}`).join('\n'),
  )
}

/** Precompressed next to each file, so that no request waits for compression. */
async function compress(folder) {
  const files = readdirSync(folder).filter((name) => /\.(js|svg)$|-[A-Z0-9]{8}\.css$/.test(name))
  await Promise.all(
    files.map(async (name) => {
      const text = readFileSync(join(folder, name))
      const [small, smaller] = await Promise.all([
        promisify(gzip)(text, { level: 9 }),
        promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
      ])
      writeFileSync(join(folder, `${name}.gz`), small)
      writeFileSync(join(folder, `${name}.br`), smaller)
    }),
  )
}

const week = 7 * 24 * 60 * 60 * 1000

/** Keeps old chunks for a while, because open pages still request them. */
function removeOldFiles() {
  for (const name of readdirSync(join(outputFolder, 'assets'))) {
    const file = join(outputFolder, 'assets', name)
    if (Date.now() - statSync(file).mtimeMs > week) rmSync(file, { force: true })
  }
}
