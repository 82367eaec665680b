import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestNetwork } from './network-http.fixture.ts'

let own: Awaited<ReturnType<typeof openTestNetwork>>
beforeAll(async () => {
  own = await openTestNetwork()
})
beforeEach(() => {
  own.network.requests.length = 0
})
afterAll(() => own.close())

/** The last request the network received. */
function received() {
  const last = own.network.requests.at(-1)
  if (!last) throw new Error('Nothing was received.')
  return last
}

test('a query is added to the query of the URL, without undefined values', async () => {
  await own.call({ method: 'GET', url: `${own.url}/x?a=1&b=2`, query: { b: 'ä &', c: 0, d: undefined } })
  const { method, url, headers, raw } = received()
  expect([method, url, raw.length]).toEqual(['GET', '/base/x?a=1&b=%C3%A4+%26&c=0', 0])
  expect(headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'identity' })
  expect(headers['content-type']).toBeUndefined()
})

test('JSON and form bodies are sent with their content type', async () => {
  await own.call({ json: { text: 'Grüße 🤖' }, headers: { authorization: 'Bearer t' } })
  expect(received().headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer t' })
  expect(JSON.parse(received().raw.toString())).toEqual({ text: 'Grüße 🤖' })
  await own.call({ form: { a: 'x y&z', b: 5, c: undefined } })
  expect(received().headers['content-type']).toBe('application/x-www-form-urlencoded')
  expect(received().raw.toString()).toBe('a=x+y%26z&b=5')
})

test('a multipart form is parsed by a standard parser', async () => {
  const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 13, 10])
  const names = ['photo.jpg', 'a"b.jpg', 'line\r\nbreak.jpg', 'grün 🤖.png']
  for (const name of names) {
    await own.call({
      multipart: { caption: 'Zwei\r\nZeilen – 🤖', empty: '', file: { bytes, mime: 'image/jpeg', name } },
    })
    const { headers, raw } = received()
    expect(headers['content-length']).toBe(String(raw.length))
    const type = headers['content-type'] ?? ''
    const request = new Request('http://a', { method: 'POST', headers: { 'content-type': type }, body: raw })
    const form = await request.formData()
    expect([...form.keys()]).toEqual(['caption', 'empty', 'file'])
    expect([form.get('caption'), form.get('empty')]).toEqual(['Zwei\r\nZeilen – 🤖', ''])
    const file = form.get('file') as File
    expect([file.name, file.type]).toEqual([name.replace(/["\r\n]/g, '_'), 'image/jpeg'])
    expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes)
  }
})

test('bytes are sent unchanged', async () => {
  const bytes = Buffer.from([0, 1, 2, 255])
  await own.call({ method: 'PUT', bytes, headers: { 'content-type': 'video/mp4', 'content-range': 'bytes 0-3/4' } })
  const { method, headers, raw } = received()
  expect([method, raw]).toEqual(['PUT', bytes])
  expect(headers).toMatchObject({ 'content-type': 'video/mp4', 'content-range': 'bytes 0-3/4', 'content-length': '4' })
})

test('a streamed body is sent with a content length', async () => {
  const piece = Buffer.alloc(70_000, 7)
  async function* source() {
    for (let number = 0; number < 5; number += 1) yield piece
  }
  await own.call({ method: 'PUT', bytes: { length: 350_000, source: source() } })
  const { headers, raw } = received()
  expect(headers['content-length']).toBe('350000')
  expect(headers['transfer-encoding']).toBeUndefined()
  expect(raw.equals(Buffer.alloc(350_000, 7))).toBe(true)
})

test('a response has its status, headers and JSON, with long numbers as strings', async () => {
  const text = '{"id":7247303576418566913,"text":"7247303576418566913 €","n":1.5}'
  own.network.answer = (response) => response.writeHead(201, { location: '/y' }).end(text)
  const answer = await own.call()
  expect(answer).toMatchObject({ status: 201, text, headers: { location: '/y' } })
  expect(answer.body).toEqual({ id: '7247303576418566913', text: '7247303576418566913 €', n: 1.5 })
  own.network.answer = (response) => response.end('<html>')
  expect(await own.call()).toMatchObject({ status: 200, text: '<html>', body: undefined })
})
