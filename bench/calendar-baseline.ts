import { createServer } from 'node:http'
import pg from 'pg'

/**
 * The baseline of the calendar: the same prepared statements through the same driver in parallel, and JSON.stringify of the
 * rows. No authentication, rate limits, parameter validation, serialization or logging.
 */
const [, , connectionString, from, until] = process.argv
const pool = new pg.Pool({ connectionString, max: 8 })
const account = '001demo00000001'

const ask = async (name: string, text: string, ...values: unknown[]) =>
  (await pool.query({ name, text, values: [account, ...values] })).rows

const counter = (kind: string, table: string, name: string) =>
  `coalesce((select value from counters f where f.account_id = $1 and of_kind = '${kind}' and of_id = ${table}.id and name = '${name}'), 0) as ${name}`

async function calendar() {
  const posts = await ask(
    'posts',
    `select id, campaign_id, ${counter('post', 'posts', 'clicks')}, content_source, ${counter('post', 'posts', 'converts')}, credential_ids, message_id, network, source, start_date_time,
       status, approve_status, cardinality(credential_ids) as total_count
     from posts where account_id = $1 and start_date_time >= $2 and start_date_time < $3
       and campaign_id in (select id from campaigns where account_id = $1 and deleted is null and status <> 'archived')
     order by start_date_time, id`,
    from,
    until,
  )
  const ids = posts.map(({ id }) => id)
  const messageIds = [...new Set(posts.map((post) => post.message_id))]
  const [campaigns, credentials, messages, attached, media, postlogs, events, eventCampaigns] = await Promise.all([
    ask('campaigns', 'select id, color, name, status from campaigns where account_id = $1 and id = any ($2)', [
      ...new Set(posts.map((post) => post.campaign_id)),
    ]),
    ask(
      'credentials',
      `select id, board_only, display_name, expires_on, image_link, is_hidden, name, network, network_account_id,
         network_username, parent_credential_id, status
       from credentials where account_id = $1 and id = any ($2)`,
      [...new Set(posts.flatMap((post) => post.credential_ids))],
    ),
    ask(
      'messages',
      `select id, campaign_id, ${counter('message', 'messages', 'clicks')}, ${counter('message', 'messages', 'converts')}, description, image_url, is_board_message, link_title, link_url,
         link_url as url, message, network, status, subject, type
       from messages where account_id = $1 and id = any ($2)`,
      messageIds,
    ),
    ask(
      'attached',
      `select message_id, media_id from message_media where account_id = $1 and message_id = any ($2)
       order by message_id, position`,
      messageIds,
    ),
    ask(
      'media',
      `select * from media where account_id = $1 and id in (
         select media_id from message_media where account_id = $1 and message_id = any ($2)) order by id`,
      messageIds,
    ),
    ask(
      'postlogs',
      `select id, credential_id, post_id, message_id, status, remote_url, published_date
       from postlogs where account_id = $1 and post_id = any ($2) order by id`,
      ids,
    ),
    ask(
      'events',
      `select * from custom_events where account_id = $1 and end_date_time >= $2 and start_date_time <= $3
       order by start_date_time, id`,
      from,
      until,
    ),
    ask(
      'event-campaigns',
      `select c.event_id, campaign_id from custom_event_campaigns c join custom_events e on e.account_id = $1
         and e.id = c.event_id where c.account_id = $1 and e.end_date_time >= $2 and e.start_date_time <= $3`,
      from,
      until,
    ),
  ])
  return {
    Result: true,
    Campaigns: byId(campaigns),
    Credentials: byId(credentials),
    Media: media,
    Messages: byId(messages),
    Posts: byId(posts),
    Postlogs: postlogs,
    CustomEvents: events,
    Attached: [attached, eventCampaigns],
  }
}

const byId = (rows: { id: string }[]) => Object.fromEntries(rows.map((row) => [row.id, row]))

const server = createServer((request, response) => {
  request.resume()
  request.on('end', async () => {
    const body = JSON.stringify(await calendar())
    response.writeHead(200, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    response.end(body)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`listening ${(server.address() as { port: number }).port}`))
