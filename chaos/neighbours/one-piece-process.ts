// Negative control: reads all rows at once and writes the response in one piece, on the thread that serves all other requests.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

const { CONTROL_DATABASE_URL: connectionString, CONTROL_ACCOUNT: account = '' } = process.env
const pool = new pg.Pool({ connectionString, max: 6 })

process.once('disconnect', () => process.exit())

const read = async (table: string) => (await pool.query(`select * from ${table} where account_id = $1`, [account])).rows

async function calendar(): Promise<string> {
  const [posts, messages, postlogs] = await Promise.all(['posts', 'messages', 'postlogs'].map(read))
  return JSON.stringify({ Result: true, Messages: messages, Posts: posts, Postlogs: postlogs })
}

function answer(response: ServerResponse, status: number, body: string) {
  response.writeHead(status, {
    'content-type': 'application/json',
    location: '/',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

const server = createServer(async ({ url = '', headers: { authorization = '' } }, response) => {
  const caller = Buffer.from(authorization.slice('Basic '.length), 'base64').toString()
  if (caller.startsWith(account)) answer(response, 200, await calendar())
  else answer(response, url.startsWith('/l/') ? 302 : 200, '{"Result":true}')
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
