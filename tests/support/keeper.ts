import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename, extname, join } from 'node:path'
import type { BrowserServer } from 'playwright-core'
import { launchBrowser } from './chromium.ts'
import { copyDatabase, databaseAt } from './database/nodes.ts'
import { emptyTemplate } from './database/templates.ts'
import { type Program, runProgram } from './program.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The browser shared by all test files, started on first use. */
export interface SharedBrowser {
  /** Playwright endpoint. */
  endpoint: string
}

/** The program with its demo and sandbox networks. */
export interface SharedProgram {
  url: string
  sandboxUrl: string
  /** Its data folder, which contains the sent emails. */
  folder: string
  databaseUrl: string
}

/** The page with examples of all components of the console. */
export interface SharedGallery {
  url: string
}

/** The demo's API key in that program. */
export const sharedKey = 'key-of-the-shared-program'

export interface Keeper {
  url: string
  close(): Promise<void>
}

/** Keeps one browser, program and gallery for the whole run, in the process that outlives all workers. They start on first use. */
export async function openKeeper(serverUrl: string): Promise<Keeper> {
  let browser: Promise<BrowserServer> | undefined
  let program: Promise<{ shared: SharedProgram; running: Program; remove(): Promise<void> }> | undefined
  let gallery: Promise<{ shared: SharedGallery; close(): Promise<void> }> | undefined
  const answers: { [path: string]: () => Promise<SharedBrowser | SharedProgram | SharedGallery> } = {
    '/gallery': async () => {
      gallery ??= serveGallery()
      return (await gallery).shared
    },
    '/browser': async () => {
      browser ??= launchBrowser()
      return { endpoint: (await browser).wsEndpoint() }
    },
    '/program': async () => {
      program ??= startProgram(serverUrl)
      return (await program).shared
    },
  }
  const server = createServer(async (request, response) => {
    try {
      response.end(JSON.stringify(await answers[request.url ?? '']?.()))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      await (await browser?.catch(() => undefined))?.close()
      await (await gallery?.catch(() => undefined))?.close()
      const started = await program?.catch(() => undefined)
      started?.running.child.kill('SIGTERM')
      await started?.running.ended
      await started?.remove()
    },
  }
}

async function startProgram(serverUrl: string) {
  const folder = await temporaryFolder()
  const name = `${emptyTemplate}_console`
  await copyDatabase(serverUrl, name, emptyTemplate)
  const databaseUrl = databaseAt(serverUrl, name)
  const running = runProgram('start', [], {
    CHORUS_DATA_DIR: folder.path,
    CHORUS_DATABASE_URL: databaseUrl,
    CHORUS_PORT: '0',
    CHORUS_DEMO_API_KEY: sharedKey,
    CHORUS_RATE_LIMIT: 'off',
    CHORUS_LOG_LEVEL: 'error',
    // No polling of the sandbox except by tests.
    CHORUS_POLL_SECONDS: '0',
    NODE_OPTIONS: '--max-semi-space-size=64',
  })
  const url = await running.printed(/Console +(http:\S+)\/app/)
  const sandboxUrl = await running.printed(/Sandbox +(http:\S+)/)
  await running.printed(/Stop with Ctrl-C/)
  return { shared: { url, sandboxUrl, folder: folder.path, databaseUrl }, running, remove: () => folder.remove() }
}

const contentTypes: { [ending: string]: string } = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

async function serveGallery() {
  const folder = await temporaryFolder()
  const { buildGallery } = await import(new URL('../../bin/build-console.mjs', import.meta.url).href)
  await buildGallery(folder.path)
  const server = createServer(async ({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://gallery')
    const name = pathname === '/gallery' ? 'page.html' : basename(pathname)
    const content = await readFile(join(folder.path, name)).catch(() => undefined)
    // The policy of the console, so that its violations show.
    const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; frame-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`
    response.setHeader('content-security-policy', policy)
    response.setHeader('content-type', contentTypes[extname(name)] ?? 'text/plain')
    response.writeHead(content ? 200 : 404).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    shared: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/gallery` },
    async close() {
      server.close()
      server.closeAllConnections()
      await folder.remove()
    },
  }
}
