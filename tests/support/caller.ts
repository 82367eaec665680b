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
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any
}

export type Caller = (route: string, options?: CallOptions) => Promise<CallResult>

/** Calls the interface as one user does: `admin('POST /team', { body: 'name=Europe' })`; what begins with /app is no part of /v2. */
export const caller = (url: string, account: string, key: string): Caller =>
  callerWith(url, { authorization: `Basic ${Buffer.from(`${account}:${key}`).toString('base64')}` })

/** The same as a page of the service does it, for whoever has this session. */
export const sessionCaller = (url: string, cookie: string): Caller =>
  callerWith(url, { cookie, 'sec-fetch-site': 'same-origin', 'x-chorus-console': '1' })

function callerWith(url: string, credentials: Record<string, string>): Caller {
  const ask: Caller = async (route, { query, body, headers = {} } = {}) => {
    const [method = '', path = ''] = route.split(' ')
    const base = path.startsWith('/app/') ? url : `${url}/v2`
    // What fetch cannot send with a GET goes into the address.
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
    let kept: Headers | undefined
    return {
      status,
      // Few ask for them, and they are long in the making.
      get headers() {
        kept ??= headersOf(answered)
        return kept
      },
      text,
      json: text ? JSON.parse(text) : undefined,
    }
  }
  return ask
}

/** An object stands in an address as JSON. */
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
