import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { bodyOf, openPost } from '../post.ts'

/** BullMQ with one worker and as many jobs side by side as ours has calls. */
const [, , redisPort = '', receiver = '', count = '0'] = process.argv
const connection = new Redis({ host: '127.0.0.1', port: Number(redisPort), maxRetriesPerRequest: null })
const queue = new Queue('webhooks', { connection })
const jobs = Array.from({ length: Number(count) }, (_, number) => ({ name: 'webhook', data: { body: bodyOf(number) } }))
for (let start = 0; start < jobs.length; start += 1000) await queue.addBulk(jobs.slice(start, start + 1000))
console.log('ready')
process.stdin.once('data', () => {
  const post = openPost(receiver)
  new Worker('webhooks', (job) => post(job.id ?? '', job.data.body), { connection, concurrency: 128 })
})
