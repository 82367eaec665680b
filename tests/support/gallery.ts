import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll, expect } from 'vitest'
import { barriers, phone, scrollsSideways, wide } from '../console/visitor.ts'
import { openContext, sharedGallery } from './shared-browser.ts'

/** The examples of one component, opened anew for each test. */
export function gallery(component: string) {
  const opened: Awaited<ReturnType<typeof openContext>>[] = []
  let url = ''
  beforeAll(async () => {
    ;({ url } = await sharedGallery())
  })
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close()
  })

  const open = async (options: BrowserContextOptions = wide) => {
    const browser = await openContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options })
    opened.push(browser)
    const page = await browser.context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    await page.goto(`${url}?only=${encodeURIComponent(component)}`)
    await page.getByRole('region', { name: component, exact: true }).waitFor()
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    return { page, press, complaints }
  }

  /** No barriers in either theme, wide and on a phone, in the state that `act` brings about. */
  const expectNoBarriers = async (act: (page: Page) => Promise<unknown> = async () => {}) => {
    for (const size of [wide, phone]) {
      const { page, complaints } = await open(size)
      await act(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await barriers(page, '', colorScheme === 'light' ? 'everything' : 'colours')).toEqual([])
      }
      expect(await scrollsSideways(page)).toEqual([])
      expect(complaints).toEqual([])
    }
  }
  return { open, expectNoBarriers }
}

/** The name and role of what has the focus: its label or text. */
export const focusOf = (page: Page): Promise<string> =>
  page.evaluate(`(() => {
    const element = document.activeElement
    if (!element || element === document.body) return 'nothing'
    const label = element.getAttribute('aria-label') ?? (element.labels?.[0] ?? element).textContent
    return label.trim()
  })()`)
