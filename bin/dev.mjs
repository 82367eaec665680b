// `npm run dev`: the service with its demo, restarted when its sources change, and the console from Vite's development server.
import { spawn } from 'node:child_process'
import { readFileSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer } from 'vite'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const consoleFolder = join(root, 'console')
const servicePort = Number(process.env.CHORUS_PORT ?? 4000)
const service = `http://127.0.0.1:${servicePort}`
const say = (line) => process.stdout.write(`[dev] ${line}\n`)

let child
let stopping = false

function startService() {
  say('starting the service')
  child = spawn(process.execPath, [join(root, 'bin', 'start.mjs')], {
    stdio: 'inherit',
    env: { ...process.env, CHORUS_PORT: String(servicePort) },
  })
  child.once('exit', () => {
    if (stopping) process.exit()
  })
}

/** `/app` also contains API operations and redirects of the service. */
const isScreen = (url) => /^\/app(?:\/(?!api\/|connect\/|assets\/|enter)|[?]|$)/.test(url)

/** The page as the service serves it, with the console's sources in place of the built files. */
async function page(request) {
  const response = await fetch(service + request.url, {
    headers: { accept: 'text/html', cookie: request.headers.cookie ?? '' },
    redirect: 'manual',
  })
  const marks = /<html((?: data-\w+)*)/.exec(await response.text())?.[1] ?? ''
  const head = [
    '<link rel="stylesheet" href="/tokens.css">',
    '<link rel="stylesheet" href="/base.css">',
    '<script type="module" src="/main.tsx"></script>',
  ]
  return readFileSync(join(consoleFolder, 'page.html'), 'utf8')
    .replace('<html', `<html${marks}`)
    .replace('<!-- head -->', head.join('\n  '))
}

const vite = await createServer({
  configFile: false,
  root: consoleFolder,
  // Not `/app/`: the console's `api` folder would hide the service's operations.
  base: '/console/',
  appType: 'custom',
  clearScreen: false,
  logLevel: 'warn',
  resolve: { alias: { '@/': `${consoleFolder}/` } },
  define: { 'process.env.NODE_ENV': '"development"' },
  server: {
    host: '127.0.0.1',
    port: Number(process.env.CONSOLE_PORT ?? 5173),
    fs: { allow: [root] },
    // The pages of the console are handled below, everything else belongs to the service.
    proxy: { '^/(app|v2|docs|l)(/|$)': service },
  },
  plugins: [
    {
      name: 'console-page',
      // Runs before Vite's own middleware, which only handles its base path.
      configureServer(server) {
        server.middlewares.use(async (request, response, next) => {
          if (!isScreen(request.url) || !request.headers.accept?.includes('text/html')) return next()
          try {
            const html = await server.transformIndexHtml(request.url, await page(request))
            response.setHeader('content-type', 'text/html; charset=utf-8').end(html)
          } catch {
            response.writeHead(503, { 'content-type': 'text/plain', 'retry-after': '1' })
            response.end('The service is starting. Reload in a moment.')
          }
        })
      },
    },
  ],
})

for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    stopping = true
    void vite.close()
    child.kill('SIGTERM')
  })

await vite.listen()
say(`console with live updates at http://127.0.0.1:${vite.config.server.port}/app`)
startService()

let timer
for (const folder of ['src', 'sandbox'])
  watch(join(root, folder), { recursive: true }, (_event, file) => {
    clearTimeout(timer)
    // Debounced, because editors often save several files together.
    timer = setTimeout(async () => {
      say(`${folder}/${file} changed, restarting the service`)
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      if (!stopping) startService()
    }, 100)
  })
