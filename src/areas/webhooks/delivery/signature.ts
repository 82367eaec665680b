import { createHmac } from 'node:crypto'

export interface Signed {
  webhookId: string
  payloadId: string
  /** When this attempt is made, in Unix seconds. */
  timestamp: number
  body: Buffer
}

/** Both families: the hex digest published clients verify, and the Standard Webhooks. After a change of the secret, of each key. */
export function signatureHeaders(
  { webhookId, payloadId, timestamp, body }: Signed,
  secrets: readonly [current: string, ...previous: string[]],
): Record<string, string> {
  const digest = createHmac('sha1', secrets[0]).update(body).digest('hex')
  const before = `${payloadId}.${timestamp}.`
  return {
    'x-oktopost-webhook': webhookId,
    'x-oktopost-payload': payloadId,
    // Published clients and published documentation name different headers; both get the same value.
    'x-oktopost-signature': digest,
    'x-oktopost-secret': digest,
    'webhook-id': payloadId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => standardSignature(secret, before, body)).join(' '),
  }
}

function standardSignature(secret: string, before: string, body: Buffer): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(before).update(body).digest('base64')}`
}
