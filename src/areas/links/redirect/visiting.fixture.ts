import { type Agent, request } from 'node:http'
import { browser } from './links.fixture.ts'

export interface Shown {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
}

interface VisitOptions {
  method?: string
  /** The Host header; that of the address unless told. */
  host?: string
  headers?: Record<string, string>
  /** To ask on a connection that stays open. */
  agent?: Agent
}

/** Asks as a browser does that follows nothing, under any host. */
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
