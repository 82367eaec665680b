// Runs in a thread of its own, so that a busy event loop does not look like a dead process.
import { parentPort, workerData } from 'node:worker_threads'
import pg from 'pg'

const { url, text, values, every } = workerData
let client

async function connect() {
  client = new pg.Client({ connectionString: url, application_name: 'chorus-heartbeat', keepAlive: true })
  client.on('error', () => {
    client = undefined
  })
  await client.connect()
}

async function beat() {
  try {
    if (!client) await connect()
    const { rowCount } = await client.query({ text, values })
    if (rowCount === 0) parentPort.postMessage('lost')
  } catch {
    // Whatever the beat keeps alive runs out by itself while the database cannot be reached.
    client = undefined
  }
}

const timer = setInterval(beat, every)
parentPort.on('message', async () => {
  clearInterval(timer)
  await client?.end().catch(() => {})
  parentPort.close()
})
