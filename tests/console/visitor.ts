import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openContext, sharedProgram } from '../support/shared-browser.ts'

export type DemoRole = 'admin' | 'publisher' | 'contributor' | 'read'

export interface Visitor {
  page: Page
  /** Where the program is. */
  url: string
  /** Everything the browser complained of: errors, breaches of the policy, warnings. */
  complaints: string[]
  open(path: string): Promise<void>
  close(): Promise<void>
}

export const wide = { viewport: { width: 1440, height: 900 } } as const
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

/** Browsers that others have left, by how they were opened: a page that is there is ready with a third of the work of a new one. */
const left = new Map<string, Page[]>()

/** Somebody with a browser of their own, who entered the demo with a role or is still at the door; of the program of all tests unless told. */
export async function visitor(
  role?: DemoRole,
  options: BrowserContextOptions = wide,
  program?: { url: string },
): Promise<Visitor> {
  const { url } = program ?? (await sharedProgram())
  const kind = JSON.stringify([url, options])
  const page = left.get(kind)?.pop() ?? (await newPage(options))
  const context = page.context()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()} ${message.location().url}`))
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  const open = async (path: string) => {
    await page.goto(url + path)
    await settled(page)
  }
  const close = async () => {
    const isAsItCame = context.pages().length === 1 && !page.isClosed() && page.url().startsWith(url)
    if (program || !isAsItCame) return context.close()
    await forget(page, url)
    left.set(kind, [...(left.get(kind) ?? []), page])
  }
  if (role) {
    // What the button of the sign-in page sends, without a page to press it on.
    const how = { form: { role }, headers: { 'sec-fetch-site': 'same-origin' }, maxRedirects: 0 }
    await context.request.post(`${url}/app/enter-demo`, how)
    // Where nothing is read, not even when others change something: tests go where they want to be.
    await page.goto(`${url}/app/nowhere`)
    await page.waitForSelector('[data-testid=shell] h1')
  }
  return { page, url, complaints, open, close }
}

const newPage = async (options: BrowserContextOptions): Promise<Page> =>
  (await openContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })).context.newPage()

/** Whoever comes next finds nothing of who was there: no session, no draft, nobody who listens. */
async function forget(page: Page, origin: string) {
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

/** Leaves what is open: nothing is read any more when others change something. */
export const rest = ({ page }: Visitor) => walk(page, '/app/nowhere')

/** Goes to another address as a link of the console does, without loading the page anew: for those who look at many. */
export async function walk(page: Page, path: string) {
  await page.evaluate(`new Promise((drawn) => {
    history.pushState(null, '', ${JSON.stringify(path)})
    dispatchEvent(new PopStateEvent('popstate'))
    requestAnimationFrame(() => requestAnimationFrame(drawn))
  })`)
  await settled(page)
}

/** Everything that was asked for is there and drawn. */
export async function settled(page: Page) {
  await page.waitForSelector('h1')
  await page.waitForSelector('[aria-busy=true], [data-pending]', { state: 'detached' })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const allRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Themes differ in colours alone: of a page that was looked at in one, only these can say something else in the other. */
const colourRules = ['color-contrast', 'link-in-text-block']
/** And these alone where there is less room, and a finger instead of a mouse. */
const roomRules = ['target-size', 'scrollable-region-focusable', 'aria-hidden-focus', 'meta-viewport']
const kinds = {
  everything: { type: 'tag', values: allRules },
  colours: { type: 'rule', values: colourRules },
  'colours and room': { type: 'rule', values: [...colourRules, ...roomRules] },
}
export type Kind = keyof typeof kinds

interface Violation {
  id: string
  help: string
  nodes: { html: string; failureSummary: string }[]
}

/** What axe finds wrong with the page as it is, or with a part of it; one line for each. */
export async function barriers(page: Page, within = '', of: Kind = 'everything'): Promise<string[]> {
  // Axe is large, and stays as long as the page is not loaded anew.
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axe)
  // What was waited for may still be on its way from pale to its own colours.
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

/** What one would have to scroll sideways to see whole; tables and rows of tabs may say that they are meant to. */
export const scrollsSideways = (page: Page): Promise<string[]> =>
  page.evaluate(`[document.documentElement, ...document.querySelectorAll('body *')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
    .filter((element) => element === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(element).overflowX))
    .filter((element) => !element.closest('[data-sideways]'))
    .map((element) => element.outerHTML.slice(0, 120))`)

/** What has the focus, as it is called. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(`document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''`)

/** The page was left and come back to: what is old is read again. */
export const comeBack = (page: Page) => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
