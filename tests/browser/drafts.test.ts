import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/shared-browser.ts'

/** console/api/local-drafts.ts in a real browser: drafts survive reloads and storage errors. */

let server: Server
let page: Page
let close: () => Promise<void>
let script: string
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { outputFiles } = await build({
    entryPoints: ['console/api/local-drafts.ts'],
    bundle: true,
    write: false,
    logLevel: 'silent',
    platform: 'browser',
    target: 'es2023',
    format: 'iife',
    globalName: 'drafts',
  })
  script = outputFiles[0]?.text ?? ''
  const opened = await openBrowser()
  close = opened.close
  page = await opened.context.newPage()
})
afterAll(async () => {
  await close()
  server.close()
})

const open = async () => {
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await page.addScriptTag({ content: script })
}
const inPage = <Result>(text: string): Promise<Result> => page.evaluate(`(async () => { ${text} })()`)

test('a draft saved just before a reload is restored, for its owner only', async () => {
  await open()
  await inPage(
    `drafts.saveLocalDraft('ada', 'compose', { text: 'We mend' }); drafts.saveLocalDraft('ada', 'compose', { text: 'We mend what we sell' })`,
  )
  await open()
  const readContent = `const { content } = await drafts.readLocalDraft('ada', 'compose'); return content.text`
  expect(await inPage(readContent)).toBe('We mend what we sell')
  expect(await inPage(`return drafts.readLocalDraft('pablo', 'compose')`)).toBeUndefined()
  expect(await inPage(`return (await drafts.listLocalDrafts('pablo')).length`)).toBe(0)
})

test('pending drafts are listed newest first, and deleted drafts stay deleted after a reload', async () => {
  await open()
  const ids = await inPage(`
    drafts.saveLocalDraft('noor', 'first', 1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    drafts.saveLocalDraft('noor', 'second', 2)
    const { content } = await drafts.readLocalDraft('noor', 'second')
    const listed = (await drafts.listLocalDrafts('noor')).map(({ id }) => id)
    await drafts.deleteLocalDraft('noor', 'first')
    return [content, listed, (await drafts.listLocalDrafts('noor')).map(({ id }) => id)]`)
  expect(ids).toEqual([2, ['second', 'first'], ['second']])
  await open()
  expect(await inPage(`return (await drafts.listLocalDrafts('noor')).map(({ id }) => id)`)).toEqual(['second'])
})

test('drafts are kept in memory if the browser cannot store them', async () => {
  await open()
  const stored = await inPage(`
    indexedDB.open = () => { throw new DOMException('No room', 'QuotaExceededError') }
    drafts.saveLocalDraft('omar', 'compose', 'still here')
    await new Promise((resolve) => setTimeout(resolve, 500))
    return [(await drafts.readLocalDraft('omar', 'compose'))?.content, (await drafts.listLocalDrafts('omar')).length]`)
  expect(stored).toEqual(['still here', 1])
})
