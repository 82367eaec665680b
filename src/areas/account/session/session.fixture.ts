import { type Caller, type CallResult, caller, sessionCaller } from '../../../../tests/support/caller.ts'
import { demoAccount, demoKey, type TestService } from '../../../../tests/support/service.ts'

export const pablo = { id: '00Ademo00000002', email: 'pablo.reyes@example.com', password: 'the ferry leaves at nine' }

/** Sets the password of a demo user, as an admin does. */
export async function givePassword({ admin }: Pick<TestService, 'admin'>, { id, password } = pablo) {
  const { status, text } = await admin(`POST /user/${id}`, { body: { password } })
  if (status !== 200) throw new Error(text)
}

export interface Attempt extends CallResult {
  /** As sent by the browser. */
  cookie: string
  /** Sends requests with that session, as a page of the service does. */
  ask: Caller
}

/** Signs in as a page of the service does; `from` is the client's IP address as reported by a proxy. */
export async function signIn(url: string, body: object, from?: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/app/api/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      'user-agent': 'A browser of the tests',
      ...(from && { 'x-forwarded-for': from }),
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return attemptOf(url, response)
}

export async function attemptOf(url: string, response: Response): Promise<Attempt> {
  const text = await response.text()
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const { status, headers } = response
  return { status, headers, text, json: text ? JSON.parse(text) : undefined, cookie, ask: sessionCaller(url, cookie) }
}

/** The demo's publisher, authenticated with an API key. */
export const withKey = (url: string) => caller(url, demoAccount, `${demoKey}-publisher`)
