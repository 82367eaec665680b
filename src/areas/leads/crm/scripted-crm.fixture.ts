import { createServer } from 'node:http'
import { started } from '#kernel/outbound/receivers.fixture.ts'

interface ReceivedRequest {
  method: string
  /** With the decoded query. */
  path: string
  authorization: string
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect arbitrary bodies
  body: any
}

interface Scripted {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

/** A system with scripted responses that records its requests. */
export async function scriptedCrm() {
  const requests: ReceivedRequest[] = []
  const crm = {
    requests,
    answer: (_: ReceivedRequest): Scripted => ({}),
  }
  const server = await started(
    createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const raw = Buffer.concat(chunks).toString('utf8')
      const isForm = String(request.headers['content-type']).includes('urlencoded')
      const body = raw === '' ? undefined : isForm ? Object.fromEntries(new URLSearchParams(raw)) : JSON.parse(raw)
      const path = decodeURIComponent((request.url ?? '').replaceAll('+', ' '))
      const call = { method: request.method ?? '', path, authorization: request.headers.authorization ?? '', body }
      requests.push(call)
      const { status = 200, headers = {}, body: said = {} } = crm.answer(call)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(status === 204 ? undefined : JSON.stringify(said))
    }),
  )
  return { crm, url: server.url, stop: () => server.stop() }
}
