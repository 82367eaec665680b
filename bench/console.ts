import { type CDPSession, chromium, type Page } from 'playwright-core'
import { ownerQuery } from '#kernel/database/owner.ts'
import { launchBrowser } from '../tests/support/chromium.ts'
import { fill } from './calendar.ts'
import { median } from './processes.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
/** All 5,000 posts of the calendar benchmark, in one month. */
const month = '2031-03'

/**
 * Main-thread time of the console by Chromium's counters: wall-clock times vary with the load of
 * the machine, these by about 10%. Each value is the median of several rounds, next to its limit.
 */
export async function consoleBenchmark(service: string, databaseUrl: string) {
  await fill(databaseUrl)
  await ownerQuery(
    databaseUrl,
    `update posts set start_date_time = '${month}-01 06:00+00'::timestamptz + right(id, 9)::int * interval '8 minutes' where id like '004cal%'`,
  )
  const server = await launchBrowser()
  const browser = await chromium.connect(server.wsEndpoint())
  try {
    const results = new Map<string, number[]>()
    const note = (name: string, value: number) => results.set(name, [...(results.get(name) ?? []), value])
    // The first round is warm-up.
    for (let round = 0; round <= rounds; round++) {
      const context = await browser.newContext({
        viewport: { width: 1440, height: 900 },
        locale: 'en-GB',
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      await page.goto(`${service}/app/sign-in`)
      await page.click('button[name=role][value=admin]')
      await page.waitForSelector('.shell h1')
      const meter = await openMeter(page)
      const keep = round === 0 ? () => {} : note
      await inCalendar(page, service, meter, keep)
      await inComposer(page, service, meter, keep)
      await context.close()
    }
    for (const [name, values] of results) tell(name, median(values))
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Main-thread milliseconds, and MiB of heap. */
const allowed: { readonly [name: string]: number } = {
  'the demo’s month drawn': 600,
  '5,000 posts: the month drawn': 600,
  '5,000 posts: a filter': 300,
  '5,000 posts: a letter in Find': 300,
  '5,000 posts: a post opened': 300,
  '5,000 posts: a day opened': 300,
  '5,000 posts: month to week': 600,
  '5,000 posts: week to month': 600,
  '5,000 posts: heap, MiB': 40,
  'a letter in the composer, four networks, 900 letters': 60,
}

function tell(name: string, value: number) {
  const most = allowed[name]
  const goal = most === undefined ? '' : ` (at most ${most}${value > most ? ', MISSED' : ''})`
  console.log(`console, ${name}: ${value.toFixed(0)}${name.endsWith('MiB') ? '' : ' ms'}${goal}`)
}

type Note = (name: string, value: number) => void

async function inCalendar(page: Page, service: string, meter: Meter, note: Note) {
  note('the demo’s month drawn', await meter.of(() => page.goto(`${service}/app/calendar`), '.month .chip'))
  note(
    '5,000 posts: the month drawn',
    await meter.of(() => page.goto(`${service}/app/calendar?day=${month}-10`), '.day-rest'),
  )
  await meter.collect()
  note('5,000 posts: heap, MiB', (await meter.read('JSHeapUsedSize')) / 2 ** 20)
  const chip = page.locator('.calendar-networks .toggle-chip').first()
  note('5,000 posts: a filter', await meter.of(() => chip.click()))
  await chip.click()
  await meter.rest()
  note('5,000 posts: a letter in Find', await meter.of(() => page.locator('[data-find]').pressSequentially('n')))
  await page.fill('[data-find]', '')
  await meter.rest()
  note('5,000 posts: a post opened', await meter.of(() => page.locator('.chip').first().click(), '.panel'))
  await page.keyboard.press('Escape')
  await meter.rest()
  note('5,000 posts: a day opened', await meter.of(() => page.locator('.day-rest').first().click(), '.panel'))
  await page.keyboard.press('Escape')
  await meter.rest()
  note('5,000 posts: month to week', await meter.of(() => page.keyboard.press('2'), '.week'))
  note('5,000 posts: week to month', await meter.of(() => page.keyboard.press('1'), '.month'))
}

const letters = 20

async function inComposer(page: Page, service: string, meter: Meter, note: Note) {
  await page.goto(`${service}/app/compose`)
  await page.waitForSelector('.sheet textarea')
  for (const network of ['Facebook', 'LinkedIn', 'Twitter', 'Instagram'])
    await page.locator(`.profile-choice-one:has([data-network=${network}]):not([data-broken])`).first().click()
  await page.fill('.sheet textarea', 'Nine nights, two storms, one tent. #outdoor '.repeat(25).slice(0, 900))
  await page.click('.sheet textarea')
  await meter.rest()
  const type = async () => {
    // Typing speed of a person: each character is rendered separately.
    for (let letter = 0; letter < letters; letter++) {
      await page.keyboard.type('e')
      await page.waitForTimeout(120)
    }
  }
  note('a letter in the composer, four networks, 900 letters', (await meter.of(type)) / letters)
}

interface Meter {
  read(name: string): Promise<number>
  /** Main-thread time of an action until the thread is idle. */
  of(act: () => Promise<unknown>, until?: string): Promise<number>
  rest(): Promise<void>
  collect(): Promise<void>
}

async function openMeter(page: Page): Promise<Meter> {
  const devtools: CDPSession = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async (name: string) => {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return metrics.find((metric) => metric.name === name)?.value ?? 0
  }
  const work = async () => (await read('TaskDuration')) * 1000
  const rest = async () => {
    for (let before = await work(), quiet = 0; quiet < 4; ) {
      await page.waitForTimeout(100)
      const now = await work()
      quiet = now - before < 3 ? quiet + 1 : 0
      before = now
    }
  }
  return {
    read,
    rest,
    collect: () => devtools.send('HeapProfiler.collectGarbage').then(() => undefined),
    async of(act, until) {
      await rest()
      const [before, loaded] = [await work(), await read('NavigationStart')]
      await act()
      if (until) await page.waitForSelector(until)
      await rest()
      // The counters restart when a page is loaded.
      return (await work()) - ((await read('NavigationStart')) === loaded ? before : 0)
    },
  }
}
