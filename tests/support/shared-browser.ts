import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { inject } from 'vitest'
import type { SharedBrowser, SharedGallery, SharedProgram } from './keeper.ts'

/** Requests a shared resource of the test run, which is started on first use. */
async function ask<Shared>(what: string): Promise<Shared> {
  const answer = await fetch(`${inject('keeperUrl')}/${what}`)
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Shared
}

export const sharedProgram = () => ask<SharedProgram>('program')

export const sharedGallery = () => ask<SharedGallery>('gallery')

let connected: Promise<Browser> | undefined
let users = 0

/** The shared browser, with a separate context for each caller. */
export async function openContext(
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  users++
  connected ??= ask<SharedBrowser>('browser').then(({ endpoint }) => chromium.connect(endpoint))
  const browser = await connected
  const context = await browser.newContext(options)
  // Long timeout, for busy machines.
  context.setDefaultTimeout(120_000)
  return {
    context,
    async close() {
      await context.close()
      if (--users > 0) return
      connected = undefined
      await browser.close()
    },
  }
}

/** For pages whose CSP would block the scripts of the tests. */
export const openBrowser = () => openContext({ bypassCSP: true })
