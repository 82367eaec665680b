import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openContext, sharedProgram } from '../support/shared-browser.ts'

export type DemoRole = 'admin' | 'publisher' | 'contributor' | 'read'

export interface Visitor {
  page: Page
  /** URL of the program. */
  url: string
  /** Everything the browser logged: errors, CSP violations, warnings. */
  complaints: string[]
  open(path: string): Promise<void>
  close(): Promise<void>
}

export const wide = { viewport: { width: 1440, height: 900 } } as const
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

/** Idle browsers by options: reusing a page takes a third of the work of opening one. */
const idlePages = new Map<string, Page[]>()

/** A user with a separate browser, signed in to the demo with a role or signed out; uses the shared program by default. */
export async function visitor(
  role?: DemoRole,
  options: BrowserContextOptions = wide,
  program?: { url: string },
): Promise<Visitor> {
  const { url } = program ?? (await sharedProgram())
  const kind = JSON.stringify([url, options])
  const page = idlePages.get(kind)?.pop() ?? (await newPage(options))
  const context = page.context()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`))
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  const open = async (path: string) => {
    await page.goto(url + path)
    await settled(page)
  }
  const close = async () => {
    const isReusable = context.pages().length === 1 && !page.isClosed() && page.url().startsWith(url)
    if (program || !isReusable) return context.close()
    await clearState(page, url)
    idlePages.set(kind, [...(idlePages.get(kind) ?? []), page])
  }
  if (role) {
    // The request of the demo button on the sign-in page, without loading the page.
    const how = { form: { role }, headers: { 'sec-fetch-site': 'same-origin' }, maxRedirects: 0 }
    await context.request.post(`${url}/app/enter-demo`, how)
    // A page without any queries, so that changes of other tests trigger no requests.
    await page.goto(`${url}/app/nowhere`)
    await page.waitForSelector('[data-testid=shell] h1')
  }
  return { page, url, complaints, open, close }
}

const newPage = async (options: BrowserContextOptions): Promise<Page> =>
  (await openContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })).context.newPage()

/** Clears all state for the next user of the browser: session, drafts, change feed. */
async function clearState(page: Page, origin: string) {
  for (const event of ['console', 'pageerror', 'request', 'response', 'requestfailed']) page.removeAllListeners(event)
  await page.unrouteAll()
  await page.evaluate('sessionStorage.clear()')
  await page.goto('about:blank')
  await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' })
  await page.context().clearCookies()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await devtools.detach()
}

/** Leaves the current screen, so that changes of other tests trigger no requests. */
export const leaveScreen = ({ page }: Visitor) => navigate(page, '/app/nowhere')

/** Navigates like a link of the console, without a page load: for tests that visit many screens. */
export async function navigate(page: Page, path: string) {
  await page.evaluate(`new Promise((drawn) => {
    history.pushState(null, '', ${JSON.stringify(path)})
    dispatchEvent(new PopStateEvent('popstate'))
    requestAnimationFrame(() => requestAnimationFrame(drawn))
  })`)
  await settled(page)
}

/** Waits until all requests have finished and the result is rendered. */
export async function settled(page: Page) {
  await page.waitForSelector('h1')
  await page.waitForSelector('[aria-busy=true], [data-pending]', { state: 'detached' })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Themes differ in colors only, so only these rules can have another result in the second theme. */
const colorRules = ['color-contrast', 'link-in-text-block']
/** Rules whose result can differ on small screens and with touch input. */
const layoutRules = ['target-size', 'scrollable-region-focusable', 'aria-hidden-focus', 'meta-viewport']
const kinds = {
  everything: { type: 'tag', values: allRules },
  colours: { type: 'rule', values: colorRules },
  'colours and room': { type: 'rule', values: [...colorRules, ...layoutRules] },
}
export type Kind = keyof typeof kinds

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** The axe violations of the page or of a part of it; one line each. */
export async function barriers(page: Page, within = '', of: Kind = 'everything'): Promise<string[]> {
  // Axe is large; it stays loaded until the next page load.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe)
  // Wait for running color transitions.
  const found = (await page.evaluate(`(async () => {
    const changing = document.getAnimations().filter((one) => one instanceof CSSTransition)
    await Promise.allSettled(changing.map(({ finished }) => finished))
    const part = ${JSON.stringify(within)} || document
    return (await axe.run(part, ${JSON.stringify({ runOnly: kinds[of], resultTypes: ['violations'] })})).violations
  })()`)) as Violation[]
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html.slice(0, 300)}\n  ${failureSummary}`),
  )
}

/** Elements that overflow horizontally, except tables and tab lists marked as scrollable. */
export const scrollsSideways = (page: Page): Promise<string[]> =>
  page.evaluate(`[document.documentElement, ...document.querySelectorAll('body *')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
    .filter((element) => element === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(element).overflowX))
    .filter((element) => !element.closest('[data-sideways]'))
    .map((element) => element.outerHTML.slice(0, 120))`)

/** The accessible name of the focused element. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''`)

/** Simulates a return to the page, which refetches stale data. */
export const returnToPage = (page: Page) => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
