import { chromium } from 'playwright-core'
const base = 'http://127.0.0.1:8471'
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu','--disable-dev-shm-usage'] })
const text = `We mend what we sell, for life. 🧵

Ten years ago a torn strap came back to us in the post. We sewed it on, wrote a note and sent it home. Since then our bench in Leeds has seen 41,872 jackets, packs and tents, and most of them are out there again this winter.

Bring yours: https://example.com/northwind/repair @leedsmakers #repairdontreplace`
async function run(name, options, theme) {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', colorScheme: theme, ...options })
  const page = await context.newPage()
  page.on('console', (m) => console.log(name, m.type(), m.text().slice(0,300)))
  page.on('pageerror', (e) => console.log(name, 'ERR', e.message.slice(0,400)))
  await page.goto(base + '/app/sign-in')
  await page.click('button[name=role][value=admin]')
  await page.waitForSelector('.shell h1')
  await page.goto(base + '/app/compose')
  await page.waitForSelector('.sheet', { timeout: 20000 })
  await page.screenshot({ path: `/tmp/w/shots/ca-${name}-empty.png` })
  for (const network of ['LinkedIn', 'X', 'Facebook']) await page.click(`.profile-choice-one:not([data-broken]):has-text("${network}")`)
  await page.fill('textarea[aria-label^="Text for"]', text)
  await page.waitForTimeout(500)
  await page.click('text="Media"')
  await page.waitForSelector('.media-picker-file')
  await page.waitForTimeout(500)
  await page.screenshot({ path: `/tmp/w/shots/ca-${name}-picker.png` })
  await page.click('.media-picker-file >> nth=0')
  await page.click('.media-picker-file >> nth=1')
  await page.click('dialog >> text=Attach 2')
  await page.waitForTimeout(1800)
  await page.screenshot({ path: `/tmp/w/shots/ca-${name}-full.png` })
  if (options.isMobile) { await page.evaluate(`document.querySelector('.composer').scrollTo(0, 900)`); await page.screenshot({ path: `/tmp/w/shots/ca-${name}-full2.png` }) }
  console.log(page.url())
  await context.close()
}
await run('wide', { viewport: { width: 1440, height: 900 } }, 'light')
await run('phone-dark', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }, 'dark')
await browser.close()
