import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../../../tests/support/service.ts'
import { readHead } from './link-preview.ts'

let service: TestService
let site: string
let requested: string[] = []
const pages: Record<string, { status?: number; type?: string; location?: string; body?: string | Buffer }> = {}
const server = createServer((request, response) => {
  requested.push(request.url ?? '')
  const { status = 200, type = 'text/html', location, body = '' } = pages[request.url ?? ''] ?? { status: 404 }
  response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body)
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  service = await startTestService({ environment: { CHORUS_OUTBOUND_ALLOW: '127.0.0.1', CHORUS_ROLES: 'api' } })
})
afterAll(async () => {
  await service.stop()
  await new Promise((resolve) => server.close(resolve))
})

const preview = async (path: string, as = service.contributor) => {
  const { status, json } = await as('GET /app/api/link-preview', {
    query: new URLSearchParams({ url: path.startsWith('/') ? site + path : path }).toString(),
  })
  return status === 200 ? json.Preview : json
}

test('a page is previewed by its metadata, its image with an absolute URL', async () => {
  pages['/moved'] = { status: 302, location: '/shop/page' }
  pages['/shop/page'] = {
    type: 'text/html; charset=ISO-8859-1',
    body: Buffer.from(
      `<!doctype html><html><head><title>Not this</title><meta property="og:title" content="Zelte f&uuml;r R\u00fcgen &amp; mehr">
      <meta name="description" content="Plain"><meta property="og:description" content="Two
      lines\u0007"><meta property='og:image' content='../tent.png'><meta content="Northwind" property=og:site_name></head>`,
      'latin1',
    ),
  }
  expect(await preview('/moved')).toEqual({
    Url: `${site}/moved`,
    Title: 'Zelte für Rügen & mehr',
    Description: 'Two lines',
    ImageUrl: `${site}/tent.png`,
    SiteName: 'Northwind',
    Problem: '',
  })
})

test('a page is fetched once per account, and failures are retried', async () => {
  pages['/once'] = { body: '<title>Once</title>' }
  requested = []
  await Promise.all([preview('/once'), preview('/once'), preview('/once', service.admin)])
  expect((await preview('/once')).Title).toBe('Once')
  expect(requested).toEqual(['/once'])
  expect((await preview('/once', service.otherAdmin)).Title).toBe('Once')
  expect(requested.length).toBe(2)
  expect((await preview('/soon')).Problem).toBe('The page answers 404.')
  pages['/soon'] = { body: '<title>There</title>' }
  expect((await preview('/soon')).Title).toBe('There')
})

test('pages that are invalid, unreachable or forbidden report why', async () => {
  pages['/film'] = { type: 'video/mp4', body: 'mp4' }
  expect((await preview('/film')).Problem).toBe('The address leads to no web page.')
  expect((await preview('http://10.0.0.1/')).Problem).toMatch(/\w/)
  expect((await preview('http://127.0.0.1:1/')).Problem).toMatch(/\w/)
  expect((await preview('javascript:alert(1)')).Errors.API.Error).toContain('url')
  expect((await preview(service.url)).Problem, 'not the service itself').toMatch(/\w/)
})

test('hostile pages are parsed in linear time, and nothing in them is executed', () => {
  const address = 'https://example.com/a/b'
  const head = (html: string) => readHead(html, address)
  expect(head('<meta property="og:image" content="javascript:alert(1)">').imageUrl).toBe('')
  expect(head('<meta property="og:image" content="data:image/png;base64,AAAA">').imageUrl).toBe('')
  expect(head('<meta property="og:image" content="//cdn.example.com/x.png">').imageUrl).toBe(
    'https://cdn.example.com/x.png',
  )
  expect(head('<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>').title).toBe('<script>alert(1)</script>')
  expect(head('<title>a\u202eb\u0000c</title>').title).toMatch(/^ab ?c$/)
  expect(head(`<title>${'x'.repeat(10_000)}</title>`).title.length).toBe(300)
  for (const piece of ['<meta ', '<title>', '<!--', '<meta content="', '&amp', "<a b='", '</'])
    for (const times of [1, 40_000]) expect(head(piece.repeat(times)).title.length).toBeLessThanOrEqual(300)
})
