// Runs in a worker thread, so that a busy event loop is not mistaken for a dead process.
import { parentPort } from 'node:worker_threads'
import pg from 'pg'

const beats = new Map()

/** Repeats a statement over a dedicated connection until it is ended. */
function startBeat(id, { url, text, values, every, patience = 10_000 }) {
  let client
  let beating = false

  const drop = (broken) => {
    broken.connection.stream.destroy()
    if (client === broken) client = undefined
  }
  const connect = async () => {
    const identity = { connectionString: url, application_name: 'chorus-heartbeat' }
    const next = new pg.Client({ ...identity, connectionTimeoutMillis: patience, keepAlive: true })
    next.on('error', () => drop(next))
    await next.connect()
    client = next
    // The heartbeat ended while this connection was being opened.
    if (!beats.has(id)) drop(next)
  }
  const runStatement = async () => {
    const current = client
    const timeout = setTimeout(() => drop(current), patience)
    try {
      return await current.query({ text, values })
    } catch (error) {
      drop(current)
      throw error
    } finally {
      clearTimeout(timeout)
    }
  }
  const beat = async () => {
    if (beating) return
    beating = true
    try {
      if (!client) await connect()
      if (!client) return
      const { rowCount } = await runStatement()
      if (rowCount === 0) parentPort.postMessage({ lost: id })
    } catch {
      // A lease expires by itself while the database can't be reached.
    } finally {
      beating = false
    }
  }
  const timer = setInterval(beat, every)

  return async () => {
    clearInterval(timer)
    beats.delete(id)
    const last = client
    if (!last) return
    const timeout = setTimeout(() => drop(last), patience)
    await last.end().catch(() => {})
    clearTimeout(timeout)
  }
}

parentPort.on('message', async ({ start, end }) => {
  if (start) beats.set(start.id, startBeat(start.id, start.beat))
  if (end === undefined) return
  await beats.get(end)?.()
  parentPort.postMessage({ ended: end })
})
