import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleFiles } from '../../src/areas/media/media.fixture.ts'
import { barriers, navigate, type Visitor, visitor } from './visitor.ts'

let publisher: Visitor
let film: Buffer
let photo: Buffer
beforeAll(async () => {
  const files = await sampleFiles()
  film = files['film.mp4']
  photo = files['photo.jpg']
  publisher = await visitor('publisher')
})
afterAll(() => publisher.close())

const choose = (name: string, mimeType: string, buffer: Buffer) =>
  publisher.page.setInputFiles('input[type=file]', { name, mimeType, buffer })

test('a file is uploaded, found, renamed, described and deleted', async () => {
  const { page } = publisher
  await navigate(page, '/app/library')
  await choose('ridge.jpg', 'image/jpeg', photo)
  await page.click('[data-testid=asset-tile]:has-text("ridge.jpg")')
  await page.waitForSelector('[data-ui=panel] [data-testid=asset-picture] img')
  expect(new URL(page.url()).searchParams.get('asset')).toMatch(/^026/)
  expect(await barriers(page, '[data-ui=panel]')).toEqual([])
  await page.getByLabel('Name', { exact: true }).fill('Two on a ridge')
  await page.getByLabel('Description').fill('Two people walk along a ridge')
  await page.click('[data-ui=panel-actions] button:has-text("Save")')
  await page.waitForSelector('[data-testid=asset-tile]:has-text("Two on a ridge")')
  await page.reload()
  expect(await page.getByLabel('Description').inputValue()).toBe('Two people walk along a ridge')
  await page.click('[data-ui=panel-actions] button:has-text("Delete")')
  await page.click('dialog button[type=submit]')
  await page.waitForSelector('[data-testid=asset-tile]:has-text("Two on a ridge")', { state: 'detached' })
})

test('an interrupted upload resumes automatically', async () => {
  const { page, complaints } = publisher
  await navigate(page, '/app/library')
  let broken = 0
  const pieces = '**/app/api/media/*?offset=*'
  await page.route(pieces, (route) => (broken++ === 0 ? route.abort() : route.continue()))
  await choose('walk.mp4', 'video/mp4', film)
  await page.waitForSelector('[data-testid=upload][data-state=done]:has-text("walk.mp4")')
  await page.waitForSelector('[data-testid=asset-tile]:has-text("walk.mp4")')
  expect(broken).toBeGreaterThan(1)
  await page.unroute(pieces)
  complaints.splice(0)
})

test('an unusable file shows the reason', async () => {
  const { page, complaints } = publisher
  await navigate(page, '/app/library')
  await choose('page.mp4', 'video/mp4', Buffer.from('<html>no film</html>'))
  const reason = await page.textContent('[data-testid=upload][data-state=failed]:has-text("page.mp4")')
  expect(reason).toMatch(/\./)
  complaints.splice(0)
})

test('arrow keys move between files, and readers are offered no changes', async () => {
  const reader = await visitor('read')
  const { page, complaints, close } = reader
  await navigate(page, '/app/library')
  await page.focus('[data-testid=asset-tile]')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-ui=panel]')
  await page.keyboard.press('Escape')
  await page.waitForSelector('[data-ui=panel]', { state: 'detached' })
  await page.keyboard.press(' ')
  await page.waitForSelector('dialog[data-testid=preview-dialog]')
  expect(await page.locator('button:has-text("Upload"), button:has-text("Delete")').count()).toBe(0)
  expect(complaints).toEqual([])
  await close()
})
