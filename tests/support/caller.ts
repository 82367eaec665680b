import { request } from 'undici'

export interface CallOptions {
  query?: string
  /** A string is sent as a form, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
}

export interface CallResult {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  json: any
}

export type Caller = (route: string, options?: CallOptions) => Promise<CallResult>

/** Calls the API as a user: `admin('POST /team', { body: 'name=Europe' })`; paths that start with /app are not under /v2. */
export const caller = (url: string, account: string, key: string): Caller =>
  callerWith(url, { authorization: `Basic ${Buffer.from(`${account}:${key}`).toString('base64')}` })

/** Calls the API like a page of the service, with this session. */
export const sessionCaller = (url: string, cookie: string): Caller =>
  callerWith(url, { cookie, 'sec-fetch-site': 'same-origin', 'x-chorus-console': '1' })

function callerWith(url: string, credentials: Record<string, string>): Caller {
  const ask: Caller = async (route, { query, body, headers = {} } = {}) => {
    const [method = '', path = ''] = route.split(' ')
    const base = path.startsWith('/app/') ? url : `${url}/v2`
    // fetch can't send a body with GET, so it becomes the query string.
    if (method === 'GET' && body !== undefined) {
      const given = new URLSearchParams(typeof body === 'string' ? body : inAddress(body as object)).toString()
      return ask(`${route.split(' ')[0]} ${path}`, { headers, query: [query, given].filter(Boolean).join('&') })
    }
    const form = typeof body === 'string'
    const contentType = form ? 'application/x-www-form-urlencoded' : 'application/json'
    const {
      statusCode: status,
      headers: answered,
      body: content,
    } = await request(`${base}${path}${query ? `?${query}` : ''}`, {
      method,
      headers: { ...credentials, ...(body !== undefined && { 'content-type': contentType }), ...headers },
      ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
    })
    const text = await content.text()
    let cached: Headers | undefined
    return {
      status,
      // Lazy: rarely needed, and slow to create.
      get headers() {
        cached ??= headersOf(answered)
        return cached
      },
      text,
      json: text ? JSON.parse(text) : undefined,
    }
  }
  return ask
}

/** Objects are sent as JSON in a query string. */
const inAddress = (body: object) =>
  Object.entries(body).map(([name, value]): [string, string] => [
    name,
    typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value),
  ])

function headersOf(given: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers()
  for (const [name, value = []] of Object.entries(given)) for (const one of [value].flat()) headers.append(name, one)
  return headers
}
