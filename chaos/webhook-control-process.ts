import { sql } from 'kysely'
import { fanOut } from '#areas/webhooks/fan-out.ts'
import { systemClock } from '#kernel/clock.ts'
import { openDatabase } from '#kernel/database/database.ts'

const account = '001demo00000001'

/** Negative control: a worker that deletes a delivery before sending it. A kill loses deliveries in progress. */
const database = openDatabase({ url: process.env.CHORUS_DATABASE_URL as string, connections: 4 })
console.log('Base URL http://nowhere/v2')

for (;;) {
  await fanOut(database.forAccount(account), account, systemClock.now())
  const { rows } = await sql<{ id: string; url: string; type: string; data: string; webhook: string }>`
    with taken as (
      delete from webhook_deliveries where account_id = ${account} and id in (
        select id from webhook_deliveries where account_id = ${account} and due <= now() limit 40 for update skip locked)
      returning id, webhook_id, event_id)
    select t.id, w.id as webhook, w.url, e.type, e.data from taken t
    join webhooks w on w.account_id = ${account} and w.id = t.webhook_id
    join events e on e.account_id = ${account} and e.id = t.event_id`.execute(database.forAccount(account))
  await Promise.all(rows.map(send))
  if (rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 50))
}

async function send({
  id,
  url,
  type,
  data,
  webhook,
}: {
  id: string
  url: string
  type: string
  data: string
  webhook: string
}) {
  const body = `{"event":"${type}","webhookId":"${webhook}","data":${data}}`
  for (let attempt = 0; attempt < 5; attempt++) {
    const response = await fetch(url, { method: 'POST', headers: { 'webhook-id': id }, body }).catch(() => undefined)
    if (response?.ok) return
  }
}
