import { createHmac } from 'node:crypto'
import { Pool } from 'undici'

/** The POST of every competitor: the same body size, signatures and number of sockets. */
export function openPost(url: string) {
  const pool = new Pool(new URL(url).origin, { connections: 32 })
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const key = Buffer.from(secret.slice(6), 'base64')
  return async (id: string, body: string) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const digest = createHmac('sha1', secret).update(body).digest('hex')
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Bench/1.0',
      'accept-encoding': 'identity',
      'x-oktopost-webhook': '0WAbench0000001',
      'x-oktopost-payload': id,
      'x-oktopost-signature': digest,
      'x-oktopost-secret': digest,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    }
    const response = await pool.request({ method: 'POST', path: '/hook', headers, body })
    await response.body.dump()
    if (response.statusCode !== 200) throw new Error(`The receiver answered ${response.statusCode}.`)
  }
}

export const bodyOf = (number: number) =>
  JSON.stringify({ event: 'postSent', timestamp: 1794728833, webhookId: '0WAbench0000001', data: [elementOf(number)] })

export const elementOf = (number: number) => ({ Id: `004${String(number).padStart(12, '0')}`, Text: 'x'.repeat(300) })
