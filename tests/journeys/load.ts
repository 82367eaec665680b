import { Agent, request } from 'node:http'

const clients = 6

/** Sends requests without a pause on keep-alive connections until the port is closed, then reports every request without a response. */
export function startLoad(url: string, { account, key }: { account: string; key: string }) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const failed: string[] = []
  let responses = 0
  let open = true
  const call = () =>
    new Promise<void>((resolve) => {
      const outgoing = request(`${url}/v2/me`, { agent, auth: `${account}:${key}` }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200) responses++
          else failed.push(`status ${response.statusCode}`)
          resolve()
        })
      })
      outgoing.on('error', ({ code }: NodeJS.ErrnoException) => {
        if (code === 'ECONNREFUSED') open = false
        else failed.push(String(code))
        resolve()
      })
      outgoing.end()
    })
  const client = async () => {
    while (open) await call()
  }
  const ended = Promise.all(Array.from({ length: clients }, client)).then(() => {
    agent.destroy()
    return failed
  })
  return { responses: () => responses, ended }
}
