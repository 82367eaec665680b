import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { openOutbound } from '#kernel/outbound/outbound.ts'
import { started } from '#kernel/outbound/receivers.fixture.ts'
import { NetworkError } from '../connector/connector.ts'
import type { NetworkCall, ResponseClassifier } from './network-http.ts'
import { openNetworkHttp } from './network-http.ts'

interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingHttpHeaders
  raw: Buffer
}

export const now = new Date('2026-11-20T10:00:00Z')

/** A network with scripted responses, and an HTTP client for it. */
export async function openTestNetwork() {
  const requests: ReceivedRequest[] = []
  const network = {
    requests,
    answer: (response: ServerResponse): unknown => response.end('{}'),
    classify: (() => undefined) as ResponseClassifier,
  }
  const server = await started(
    createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method = '', url = '', headers } = request
      requests.push({ method, url, headers, raw: Buffer.concat(chunks) })
      network.answer(response)
    }),
  )
  const outbound = openOutbound({ allow: ['127.0.0.0/8'] })
  const app = { clientId: 'c', clientSecret: 's', apiVersion: '1', hosts: { api: `${server.url}/base` }, options: {} }
  const classify: ResponseClassifier = (answer, call) => network.classify(answer, call)
  const http = openNetworkHttp('Facebook', app, { outbound, clock: { now: () => now }, version: '1.2.3' }, classify)
  return {
    network,
    url: `${server.url}/base`,
    call: (call: Partial<NetworkCall> = {}) => http({ method: 'POST', url: `${server.url}/base/x`, ...call }),
    /** The error of a failing request. */
    async fail(call: Partial<NetworkCall> = {}): Promise<NetworkError> {
      try {
        await http({ method: 'POST', url: `${server.url}/base/x`, ...call })
      } catch (error) {
        if (error instanceof NetworkError) return error
        throw error
      }
      throw new Error('The call succeeded.')
    },
    /** Stops listening. */
    leave: () => server.stop(),
    async close() {
      await outbound.close()
      await server.stop()
    },
  }
}
