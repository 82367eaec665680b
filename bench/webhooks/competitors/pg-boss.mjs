import PgBoss from 'pg-boss'
import { bodyOf, openPost } from '../post.ts'

/** pg-boss with the settings that made it fastest here: large batches, several workers, each batch sent side by side. */
const [, , databaseUrl = '', receiver = '', count = '0'] = process.argv
const boss = new PgBoss({ connectionString: databaseUrl, max: 10 })
await boss.start()
await boss.createQueue('webhooks')
const jobs = Array.from({ length: Number(count) }, (_, number) => ({
  name: 'webhooks',
  data: { body: bodyOf(number) },
}))
for (let start = 0; start < jobs.length; start += 1000) await boss.insert(jobs.slice(start, start + 1000))
console.log('ready')
process.stdin.once('data', async () => {
  const post = openPost(receiver)
  for (let worker = 0; worker < 2; worker++) {
    await boss.work('webhooks', { batchSize: 500, pollingIntervalSeconds: 0.5 }, async (batch) => {
      await Promise.all(batch.map(({ id, data }) => post(id, data.body)))
    })
  }
})
