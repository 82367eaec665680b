import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { launchBrowser } from '../tests/support/chromium.ts'
import { runProgram } from '../tests/support/program.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'

/** `npm run pictures`: takes the screenshots of README and documentation from the current demo. */

const folder = join('docs', 'pictures')
const maxBytes = 250 * 1024
const wide = { viewport: { width: 1440, height: 900 } } as const
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 } as const

interface Picture {
  name: string
  path: string
  how?: BrowserContextOptions
  /** Brings the page into the state to be captured. */
  act?: (page: Page) => Promise<unknown>
}

const openFirst = (selector: string) => async (page: Page) => {
  const first = page.locator(selector).first()
  if ((await first.count()) > 0) await first.click()
}

const pictures: readonly Picture[] = [
  { name: 'calendar', path: '/app/calendar' },
  { name: 'calendar-dark', path: '/app/calendar?view=week', how: { ...wide, colorScheme: 'dark' } },
  { name: 'calendar-phone', path: '/app/calendar', how: phone },
  { name: 'home', path: '/app/home' },
  { name: 'composer', path: '/app/compose', act: compose },
  { name: 'approvals', path: '/app/approvals' },
  { name: 'library', path: '/app/library', act: openFolder },
  { name: 'profiles', path: '/app/profiles', act: openFirst('[data-testid=profile-card]') },
  { name: 'people', path: '/app/people?user=00Ademo00000002' },
  { name: 'settings', path: '/app/settings/workflows' },
]

async function openFolder(page: Page) {
  await openFirst('[data-testid=folder]:has-text("Spring")')(page)
  await page.waitForSelector('[data-testid=asset-tile]')
  await openFirst('[data-testid=asset-tile]:has-text("forest")')(page)
}

/** Sample content for some of the profiles. */
async function compose(page: Page) {
  const profiles = page.locator('[data-testid=profile-choice-one]:has-text("Northwind Outdoor")')
  for (const index of [0, 2, 3]) await profiles.nth(index).click()
  const caption =
    'A torn seam is no reason for a new jacket. Bring it in: we mend what we sell, for as long as you hike.'
  await page.locator('main textarea').first().fill(`${caption} #outdoor`)
}

const data = await temporaryFolder()
const program = runProgram('start', [], { CHORUS_DATA_DIR: data.path, CHORUS_PORT: '0', CHORUS_LOG_LEVEL: 'error' })
const server = await launchBrowser()
try {
  const url = await program.printed(/Console +(http:\S+)\/app/)
  await program.printed(/Stop with Ctrl-C/)
  const browser = await chromium.connect(server.wsEndpoint())
  await mkdir(folder, { recursive: true })
  for (const picture of pictures) await take(browser, url, picture)
  await browser.close()
} finally {
  await server.close()
  program.child.kill('SIGTERM')
  await program.ended
  await data.remove()
}

async function take(browser: Browser, url: string, { name, path, how = wide, act }: Picture) {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', colorScheme: 'light', ...how })
  const page = await context.newPage()
  await page.goto(`${url}/app/sign-in`)
  await page.click('button[name=role][value=admin]')
  await page.waitForSelector('[data-testid=shell] h1')
  await page.goto(url + path)
  const isDrawn = () => page.waitForSelector('[aria-busy=true]', { state: 'detached' })
  await isDrawn()
  if ((await page.textContent('h1')) === 'There is nothing at this address') {
    process.stdout.write(`${name}: there is no such screen, so no picture.\n`)
  } else {
    await act?.(page)
    await isDrawn()
    await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
    const small = await smaller(await page.screenshot())
    await writeFile(join(folder, `${name}.png`), small)
    process.stdout.write(`${name}: ${Math.ceil(small.length / 1024)} KiB\n`)
  }
  await context.close()
}

/** Reduces the number of colors to fit the size limit. */
async function smaller(picture: Buffer): Promise<Buffer> {
  for (const colours of [256, 128, 64, 32]) {
    const small = await sharp(picture).png({ palette: true, colours, effort: 10, dither: 0 }).toBuffer()
    if (small.length <= maxBytes) return small
  }
  throw new Error(`A picture needs more than ${maxBytes} bytes.`)
}
