import { createServer } from 'node:http'
import pg from 'pg'

/**
 * The baseline: the same responses with only node:http, the same driver with prepared statements, and JSON.stringify.
 * No authentication, no limits, no checks, no transaction, no log.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 })
const account = '001demo00000001'

const me = {
  name: 'me',
  text: `select u.name, u.email, u.last_login, a.name as account_name from users u join accounts a on a.id = u.account_id
         where u.account_id = $1 and u.id = $2`,
}
const get = { name: 'get', text: 'select * from teams where account_id = $1 and id = $2' }
const page = {
  name: 'page',
  text: `select id, name, email, last_login, role, timezone from users
         where account_id = $1 and status <> 'deleted' and role is not null order by created desc, id desc limit $2 offset $3`,
}
const count = {
  name: 'count',
  text: `select count(*) as total from users where account_id = $1 and status <> 'deleted' and role is not null`,
}
const create = {
  name: 'create',
  text: 'insert into teams (account_id, id, created, modified, name) values ($1, $2, $3, $4, $5) returning *',
}

let created = 0
const answers: Record<string, () => Promise<unknown>> = {
  '/me': async () => ({
    Result: true,
    User: (await pool.query({ ...me, values: [account, '00Ademo00000001'] })).rows[0],
  }),
  '/get': async () => ({
    Result: true,
    Team: (await pool.query({ ...get, values: [account, '025demo00000001'] })).rows[0],
  }),
  '/list': async () => {
    const [rows, total] = await Promise.all([
      pool.query({ ...page, values: [account, 25, 0] }),
      pool.query({ ...count, values: [account] }),
    ])
    return { Result: true, Items: rows.rows, Total: Number(total.rows[0].total) }
  },
  '/create': async () => {
    const now = new Date()
    const values = [account, `025floor${String(created++).padStart(7, '0')}`, now, now, 'Floor']
    return { Result: true, Team: (await pool.query({ ...create, values })).rows[0] }
  },
}

const server = createServer((request, response) => {
  request.resume()
  request.on('end', async () => {
    const body = JSON.stringify(await answers[request.url ?? '']?.())
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
