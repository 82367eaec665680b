// `npm run dev`: database and sandbox networks stay up while the service restarts on changes; Vite serves the console with hot updates.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, realpathSync, watch } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createListener } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import react from '@vitejs/plugin-react'
import { buildSync } from 'esbuild'
import { createServer } from 'vite'
import { build, buildProgram } from './build.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const consoleFolder = join(root, 'console')
const print = (line) => process.stdout.write(`[dev] ${line}\n`)
const since = (begin) => `${((performance.now() - begin) / 1000).toFixed(1)} s`

process.env.CHORUS_DEMO ??= '1'
print('building')
await build()
const { readSettings, startEmbeddedServer } = await loadModules()
const settings = readSettings(process.env)
const servicePort = settings.port || (await freePort())
const service = `http://127.0.0.1:${servicePort}`
let stopping

const pages = createHttpServer().listen(Number(process.env.CONSOLE_PORT ?? 5173), '127.0.0.1')
await once(pages, 'listening').catch(({ message }) => {
  print(`${message}. Set CONSOLE_PORT to another port.`)
  process.exit(1)
})
const database = await openDatabase()
const sandbox = settings.demo && settings.sandbox ? sandboxProgram() : undefined
await sandbox?.start()
const chorus = serviceProgram()
/** The restarts so far; requests wait for them. */
let update = chorus.start()
const vite = await openConsole()
pages.on('request', vite.middlewares)
const url = `http://127.0.0.1:${pages.address().port}`
print(`console with live updates at ${url}/app, its components at ${url}/gallery`)
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stop())

const programsOf = { src: chorus, migrations: chorus, ...(sandbox && { sandbox }) }
const changed = new Map()
let timer
for (const folder of Object.keys(programsOf))
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    if (!file || !/\.(ts|mjs|sql)$/.test(file) || /\.(test|fixture)\.ts$/.test(file)) return
    changed.set(folder, file)
    clearTimeout(timer)
    // Editors often save several files together.
    timer = setTimeout(() => {
      update = update.then(restartChanged)
    }, 100)
  })

async function restartChanged() {
  const affected = new Set()
  for (const [folder, file] of changed) {
    print(`${folder}/${file} changed: restarting ${programsOf[folder].name}`)
    affected.add(programsOf[folder])
  }
  changed.clear()
  const begin = performance.now()
  try {
    await buildProgram()
  } catch {
    // esbuild has printed the reason.
    return print('the sources do not build: everything keeps running as it was')
  }
  for (const program of affected) {
    if (stopping) return
    await program.stop()
    if (await program.start()) print(`${program.name} is ready in ${since(begin)}`)
  }
}

function stop() {
  stopping ??= (async () => {
    print('stopping')
    clearTimeout(timer)
    await update
    await vite.close()
    pages.close()
    pages.closeAllConnections()
    await chorus.stop()
    await sandbox?.stop()
    await database.stop()
    process.exit()
  })()
  return stopping
}

/** What this process needs of the service. */
async function loadModules() {
  const outfile = join(root, 'dist', 'dev-modules.mjs')
  const modules = ['src/main/settings/settings.ts', 'src/kernel/database/embedded/embedded-server.ts']
  buildSync({
    stdin: { contents: modules.map((name) => `export * from './${name}'`).join('\n'), resolveDir: root },
    outfile,
    bundle: true,
    packages: 'external',
    alias: { '#kernel': join(root, 'src/kernel'), '#networks': join(root, 'src/networks') },
    platform: 'node',
    format: 'esm',
  })
  return import(pathToFileURL(outfile).href)
}

/** The embedded database, unless another is configured. */
async function openDatabase() {
  if (settings.databaseUrl) return { url: settings.databaseUrl, stop: async () => {} }
  const begin = performance.now()
  const server = await startEmbeddedServer({ folder: join(settings.dataDir, 'postgres'), report: print })
  print(`PostgreSQL is ready in ${since(begin)} (pid ${server.pid})`)
  server.lost.then((reason) => {
    print(reason)
    void stop()
  })
  return server
}

function sandboxProgram() {
  let port = settings.sandboxPort
  const data = join(settings.dataDir, 'sandbox')
  const start = () =>
    fork(
      join(root, 'dist', 'sandbox.mjs'),
      ['--port', String(port), '--data', data, '--history', '--visitors', '150'],
      {
        env: { CHORUS_SANDBOX_TOKEN: settings.sandboxToken },
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
        // Ctrl-C reaches every process of the terminal; this one is stopped after the service.
        detached: true,
      },
    )
  const program = superviseProgram('the sandbox', start, /Sandbox networks on (\S+)/)
  return {
    ...program,
    port: () => port,
    async start() {
      const url = await program.start()
      // The service knows this port, so the next start needs the same.
      if (url) port = Number(new URL(url).port)
      return url
    },
  }
}

function serviceProgram() {
  const start = () =>
    spawn(process.execPath, [join(root, 'bin', 'dev-service.mjs'), 'start'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: {
        ...process.env,
        CHORUS_PORT: String(servicePort),
        CHORUS_DATABASE_URL: database.url,
        ...(sandbox && { CHORUS_SANDBOX_PORT: String(sandbox.port()), CHORUS_SANDBOX: 'off' }),
      },
    })
  return superviseProgram('the service', start, /(Stop with Ctrl-C)/)
}

/** A child process that is ready when it has printed a line. Its greeting is shown once. */
function superviseProgram(name, spawnChild, readyPattern) {
  let child
  let isEnding = false
  let isKnown = false
  return {
    name,
    /** Returns what it printed; undefined if it ended instead. */
    async start() {
      isEnding = false
      const begin = performance.now()
      child = spawnChild()
      const started = child
      const ended = once(started, 'exit')
      ended.then(([code]) => !isEnding && print(`${name} ended with code ${code}; waiting for a change`))
      const output = await Promise.race([waitForOutput(started, readyPattern, isKnown), ended.then(() => undefined)])
      if (output && !isKnown) print(`${name} is ready in ${since(begin)} (pid ${started.pid})`)
      isKnown ||= output !== undefined
      return output
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      isEnding = true
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Passes on what a program prints, except a greeting that is known, and resolves with what the pattern finds. */
function waitForOutput(child, pattern, isKnown) {
  return new Promise((resolve) => {
    let isBeforeReady = true
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = pattern.exec(line)?.[1]
      if (!(isBeforeReady && isKnown) || line.startsWith('{')) process.stdout.write(`${line}\n`)
      if (!found) return
      isBeforeReady = false
      resolve(found)
    })
  })
}

function openConsole() {
  return createServer({
    configFile: false,
    root: consoleFolder,
    // Not `/app/`: the console's `api` folder would hide the service's operations.
    base: '/console/',
    // Not in node_modules, which several checkouts can share.
    cacheDir: join(root, 'dist', 'vite'),
    appType: 'custom',
    clearScreen: false,
    logLevel: 'warn',
    resolve: { alias: { '@/': `${consoleFolder}/` } },
    // Known from the start: a dependency found later would reload the page.
    optimizeDeps: {
      entries: ['main.tsx', 'gallery/main.tsx'],
      include: ['react', 'react-dom/client', 'react/jsx-dev-runtime', '@tanstack/react-query'],
    },
    server: {
      // A server of Vite's own would end this process on a signal, before the service and the database.
      middlewareMode: true,
      hmr: { server: pages },
      fs: { allow: [root, realpathSync(join(root, 'node_modules'))] },
      // The pages of the console are handled below, everything else belongs to the service.
      proxy: { '^/(app|v2|docs|l)(/|$)': service },
    },
    plugins: [react(), { name: 'console-pages', configureServer: servePages }],
  })
}

/** `/app` also contains API operations and redirects of the service. */
const isScreen = (url) => /^\/app(?:\/(?!api\/|connect\/|assets\/|enter)|[?]|$)/.test(url)

/** Runs before Vite's own middleware, which only handles its base path. */
function servePages(server) {
  server.middlewares.use(async (request, response, next) => {
    if (request.url.startsWith('/console/')) return next()
    const isGallery = /^\/gallery(?:[?]|$)/.test(request.url)
    if (!isGallery) await update
    if (!isGallery && !(isScreen(request.url) && request.headers.accept?.includes('text/html'))) return next()
    try {
      const page = isGallery ? pageOf('gallery/main.tsx') : await screenPage(request)
      const html = await server.transformIndexHtml(request.url, page)
      response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
    } catch (error) {
      response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '1' })
      response.end(`The service does not answer (${error.message}). Its output is in the terminal.`)
    }
  })
}

/** The page as the service serves it, with the console's sources in place of the built files. */
async function screenPage(request) {
  const response = await fetch(service + request.url, {
    headers: { accept: 'text/html', cookie: request.headers.cookie ?? '' },
    redirect: 'manual',
  })
  return pageOf('main.tsx', /<html((?: data-\w+)*)/.exec(await response.text())?.[1])
}

function pageOf(script, attributes = '') {
  const head = [
    '<link rel="stylesheet" href="/tokens.css">',
    '<link rel="stylesheet" href="/base.css">',
    `<script type="module" src="/${script}"></script>`,
  ]
  return readFileSync(join(consoleFolder, 'page.html'), 'utf8')
    .replace('<html', `<html${attributes}`)
    .replace('<!-- head -->', head.join('\n  '))
}

async function freePort() {
  const listener = createListener().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address()
  listener.close()
  await once(listener, 'close')
  return port
}
