import { type Agent, request } from 'node:http'
import { browser } from './links.fixture.ts'

export interface Shown {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

interface VisitOptions {
  method?: string
  /** The Host header; the URL's by default. */
  host?: string
  headers?: Record<string, string>
  /** For keep-alive connections. */
  agent?: Agent
}

/** Sends a browser request to any host without following redirects. */
export function visit(url: string, { method = 'GET', host, headers = {}, agent }: VisitOptions = {}): Promise<Shown> {
  const all = { 'user-agent': browser, ...(host && { host }), ...headers }
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers: all, agent: agent ?? false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (data) => {
        body += data
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    asking.on('error', reject)
    asking.end()
  })
}
