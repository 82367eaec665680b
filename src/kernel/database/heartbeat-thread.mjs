// Runs in a thread of its own, so that a busy event loop does not look like a dead process.
import { parentPort, workerData } from 'node:worker_threads'
import pg from 'pg'

const { url, text, values, every, patience = 10_000 } = workerData
let client
let beating = false

async function connect() {
  const identity = { connectionString: url, application_name: 'chorus-heartbeat' }
  const next = new pg.Client({ ...identity, connectionTimeoutMillis: patience, keepAlive: true })
  next.on('error', () => leave(next))
  await next.connect()
  client = next
}

function leave(broken) {
  broken.connection.stream.destroy()
  if (client === broken) client = undefined
}

async function ask() {
  const asked = client
  const enough = setTimeout(() => leave(asked), patience)
  try {
    return await asked.query({ text, values })
  } catch (error) {
    leave(asked)
    throw error
  } finally {
    clearTimeout(enough)
  }
}

async function beat() {
  if (beating) return
  beating = true
  try {
    if (!client) await connect()
    const { rowCount } = await ask()
    if (rowCount === 0) parentPort.postMessage('lost')
  } catch {
    // Whatever the beat keeps alive runs out by itself while the database cannot be reached.
  } finally {
    beating = false
  }
}

const timer = setInterval(beat, every)
parentPort.on('message', async () => {
  clearInterval(timer)
  const last = client
  if (last) {
    const enough = setTimeout(() => leave(last), patience)
    await last.end().catch(() => {})
    clearTimeout(enough)
  }
  // Ends this thread alone, a connection that is just being made included.
  process.exit()
})
