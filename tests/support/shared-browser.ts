import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core'
import { inject } from 'vitest'
import type { SharedBrowser, SharedProgram } from './keeper.ts'

/** Asks the keeper of the run, which starts what is not there yet. */
async function ask<Shared>(what: string): Promise<Shared> {
  const answer = await fetch(`${inject('keeperUrl')}/${what}`)
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()) as Shared
}

export const sharedProgram = () => ask<SharedProgram>('program')

let connected: Promise<Browser> | undefined
let users = 0

/** The one browser of the run, with its own cookies and credentials for each who asks. */
export async function openContext(
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; close(): Promise<void> }> {
  users++
  connected ??= ask<SharedBrowser>('browser').then(({ endpoint }) => chromium.connect(endpoint))
  const browser = await connected
  const context = await browser.newContext(options)
  // On a busy machine everything comes later; whatever does not come at all fails the test in the end.
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

/** For pages of the service that allow no script, not even that of the tests. */
export const openBrowser = () => openContext({ bypassCSP: true })
