import { createServer } from 'node:http'

/** The baseline: a fixed redirect with only node:http, without lookups and click tracking. */
const server = createServer((_request, response) => {
  response.writeHead(302, { location: 'https://example.com/landing?utm_source=linkedin', 'content-length': 0 }).end()
})
server.keepAliveTimeout = 72_000
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
