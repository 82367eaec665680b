import { createHmac } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PushRequest } from '#networks/connector/connector.ts'
import { manifests } from '#networks/manifests.ts'
import { type Pushed, simulatedUser, testReceiver } from '../../sandbox/sandbox.fixture.ts'
import { openConnector } from './open-connector.ts'
import { sandboxNetworks } from './sandbox-networks.ts'
import { makeSubject, type Subject } from './subject.ts'

let sandbox: Awaited<ReturnType<typeof sandboxNetworks>>
beforeAll(async () => {
  sandbox = await sandboxNetworks()
})
afterAll(() => sandbox.close())

const schemes = manifests.map(({ network, push }) => [network, push.signature, push.activities] as const)

const requestOf = ({ method, query, headers, raw }: Pushed): PushRequest => ({
  method: method as 'GET' | 'POST',
  query,
  headers: headers as Record<string, string>,
  raw: Buffer.from(raw),
  receivedAt: sandbox.world.clock.now(),
})

describe.each(schemes)('%s, signed in %s,', (network, header, content) => {
  let subject: Subject
  let pushed: PushRequest
  beforeAll(async () => {
    const receiver = await testReceiver()
    const connector = openConnector(network, sandbox)
    receiver.answer = (push) => {
      const verdict = connector.verifyPush(requestOf(push))
      return verdict.ok ? verdict.response : { status: verdict.status, body: '' }
    }
    subject = await makeSubject(sandbox, network)
    await sandbox.enterWebhook(connector, `${receiver.url}/push`)
    await connector.subscribePush(subject.actor, `${receiver.url}/push`)
    if (content === 'uploads')
      await subject.publish({ text: 'Another', title: 'Another', media: [subject.media('mp4')] })
    else {
      const about = { network, profile: subject.actor.remoteId, from: simulatedUser, postRemoteId: subject.post }
      await sandbox.inject({ ...about, kind: 'comment', text: 'Grüße 👋', push: true })
    }
    await receiver.next(1)
    const delivery = receiver.pushes.find(({ method }) => method === 'POST')
    if (!delivery) throw new Error('Nothing was pushed.')
    pushed = requestOf(delivery)
    await receiver.close()
  })

  const verdictOn = (change: Partial<PushRequest>) =>
    openConnector(network, sandbox).verifyPush({ ...pushed, ...change })

  test('accepts a signed delivery, and returns its items', () => {
    const verdict = verdictOn({})
    expect(verdict).toMatchObject({ ok: true, response: { status: expect.any(Number) } })
    expect(verdict.ok && verdict.items.length).toBeGreaterThan(0)
  })

  test('rejects a body with any changed byte', () => {
    let accepted = 0
    for (let index = 0; index < pushed.raw.length; index += 1) {
      const raw = Buffer.from(pushed.raw)
      raw[index] = (raw[index] ?? 0) ^ 1
      if (verdictOn({ raw }).ok) accepted += 1
    }
    expect(accepted).toBe(0)
    for (const raw of [Buffer.alloc(0), Buffer.concat([pushed.raw, Buffer.from(' ')]), pushed.raw.subarray(0, -1)])
      expect(verdictOn({ raw }).ok).toBe(false)
  })

  test('rejects a changed, truncated, uppercase or missing signature', () => {
    const signature = String(pushed.headers[header])
    for (let index = 0; index < signature.length; index += 1) {
      const sign = signature[index] === '0' ? '1' : '0'
      const other = signature.slice(0, index) + sign + signature.slice(index + 1)
      expect(verdictOn({ headers: { ...pushed.headers, [header]: other } }).ok, other).toBe(false)
    }
    for (const other of ['', signature.slice(0, -1), `${signature}0`, signature.toUpperCase(), undefined])
      expect(verdictOn({ headers: { ...pushed.headers, [header]: other } }).ok, other).toBe(false)
  })

  test('rejects the signature of another app', () => {
    const app = { ...sandbox.app(network), clientSecret: 'somebody-elses' }
    expect(openConnector(network, { ...sandbox, app: () => app }).verifyPush(pushed).ok).toBe(false)
  })

  test('does not sign deliveries in handshake responses', async () => {
    const connector = openConnector(network, sandbox)
    const delivered = Buffer.from(pushed.raw).toString('utf8')
    const handshake = (challenge: string) => {
      const query = new URLSearchParams({
        crc_token: challenge,
        challengeCode: challenge,
        'hub.mode': 'subscribe',
        'hub.challenge': challenge,
        'hub.topic': `${sandbox.app(network).hosts.public}/xml/feeds/videos.xml?channel_id=UCsandbox`,
        'hub.verify_token': createHmac('sha256', sandbox.app(network).clientSecret)
          .update('push verify token')
          .digest('hex'),
      })
      return connector.verifyPush({ ...pushed, method: 'GET', query, headers: {}, raw: new Uint8Array() })
    }
    let accepted = 0
    const forged: string[] = []
    await fc.assert(
      fc.asyncProperty(challenges(delivered), async (challenge) => {
        // Connections of the sandbox are served in between.
        await setImmediate()
        const verdict = handshake(challenge)
        if (!verdict.ok) return
        accepted += 1
        // Every part of the response, alone and with each prefix that a network puts before a signature.
        const signatures = [verdict.response.body, ...(verdict.response.body.match(/[\w+/=-]{16,}/g) ?? [])].flatMap(
          (text) => [
            text,
            `sha256=${text}`,
            `sha1=${text}`,
            `t=${Math.floor(pushed.receivedAt.getTime() / 1000)},s=${text}`,
          ],
        )
        const bodies = [challenge, challenge.replace(/^hmacsha256=/, ''), challenge.replace(/^\d+\./, '')]
        for (const signature of signatures)
          for (const body of bodies) {
            const delivery = { raw: Buffer.from(body), headers: { ...pushed.headers, [header]: signature } }
            if (connector.verifyPush({ ...pushed, ...delivery }).ok) forged.push(body)
          }
      }),
      { numRuns: 10_000, seed: 37 },
    )
    expect({ forged: forged.length, example: forged[0] }).toEqual({ forged: 0 })
    // TikTok has no handshake.
    expect(accepted > 0).toBe(network !== 'TikTok')
  })
})

/** Tokens as networks send them, whole and truncated deliveries, other JSON, arbitrary texts and long texts. */
function challenges(delivered: string) {
  const token = fc.oneof(
    fc.uuid(),
    fc.base64String({ minLength: 4, maxLength: 128 }),
    fc.stringMatching(/^[\w-]{1,64}$/),
  )
  const body = fc.oneof(
    fc.constant(delivered),
    fc.nat(delivered.length).map((end) => delivered.slice(0, end)),
    fc.json({ maxDepth: 2 }),
    fc
      .record({
        data: fc.record({ event_type: fc.constant('post.delete'), payload: fc.object({ maxDepth: 1, maxKeys: 2 }) }),
      })
      .map((event) => JSON.stringify(event)),
    fc
      .record({ object: fc.constantFrom('page', 'instagram'), entry: fc.array(fc.object({ maxDepth: 1, maxKeys: 2 })) })
      .map((event) => JSON.stringify(event)),
    fc.array(fc.object({ maxDepth: 1, maxKeys: 2 })).map((notifications) => JSON.stringify({ notifications })),
  )
  const prefixed = fc.tuple(
    fc.constantFrom('hmacsha256=', 'sha256=', '1800000000.', ' ', '\n', '\u{feff}'),
    fc.oneof(token, body),
  )
  return fc.oneof(
    token,
    body,
    prefixed.map(([prefix, text]) => prefix + text),
    fc.string({ unit: 'binary', maxLength: 64 }),
    fc.string({ minLength: 200, maxLength: 600 }),
  )
}
