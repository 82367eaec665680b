import type { OutboundRequest } from '#kernel/outbound/exchange.ts'
import { testReceiver } from '../../../sandbox/sandbox.fixture.ts'
import type { Connector } from '../connector/connector.ts'
import { noSave, robin, testX } from './x.fixture.ts'
import { openX } from './x.ts'

export interface Recorded {
  method: string
  path: string
  query: URLSearchParams
  body: unknown
  status: number
  response: unknown
}

type TestX = Awaited<ReturnType<typeof testX>>

/** Exercises the whole connector and returns every request with its response. */
export async function recordEverything(): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  const t = await testX()
  const receiver = await testReceiver()
  const { outbound } = t.sandbox.world
  const send = async (request: OutboundRequest) => {
    const response = await outbound.send(request)
    const { pathname, searchParams: query } = new URL(request.url)
    const [method, path] = [request.method ?? 'GET', pathname.replace(/^\/[^/]+/, '')]
    const parsed = JSON.parse(response.body.toString('utf8'))
    recorded.push({ method, path, query, body: bodyOf(request), status: response.status, response: parsed })
    return response
  }
  const x = openX(t.app, { ...t.sandbox.world, outbound: { ...outbound, send } })
  receiver.answer = ({ query }) => {
    const verdict = x.verifyPush(challenge(query))
    return verdict.ok ? verdict.response : { status: verdict.status, body: '' }
  }
  await everything(x, t, `${receiver.url}/push`)
  await receiver.close()
  await t.sandbox.close()
  return recorded
}

const challenge = (query: URLSearchParams) =>
  ({ method: 'GET', query, headers: {}, raw: new Uint8Array(), receivedAt: new Date() }) as const

async function everything(x: Connector, t: TestX, callback: string) {
  const { actor } = t
  const since = new Date()
  const publish = async (text: string, media: Parameters<typeof x.reply>[3] = []) => {
    let step = await x.publish(actor, { text, media }, noSave)
    while (step.state === 'pending') {
      await t.sandbox.advance(step.checkAfterMs)
      step = await x.publish(actor, { text, media }, noSave, step.progress)
    }
    return step.remoteId
  }
  await x.subscribePush(actor, callback)
  const known = (await t.sandbox.call('/x/2/webhooks', { token: 'sandbox-x-app-bearer' })).body
  const body = { ...known, data: [{ ...known.data[0], valid: false }] }
  await t.fault({ operation: 'subscribe', fault: 'answer', answer: { status: 200, body } })
  await x.subscribePush(actor, callback)
  const post = await publish('See https://acme.example', [t.sandbox.media('png', 'A robot')])
  await publish('Film', [t.sandbox.media('mp4')])
  await t.inject({ kind: 'reply', postRemoteId: post, text: 'Nice' })
  await t.inject({ kind: 'mention', text: 'Hey @northwindoutdoor' })
  const { threadId } = await t.inject({ kind: 'message', text: 'Hi https://robin.example' })
  const comment = await x.reply(actor, { postId: post }, 'First', [])
  await x.like(actor, { postId: post })
  await x.message(actor, { personId: robin.id }, 'Hello', [])
  await x.message(actor, { personId: robin.id, threadId }, 'Look', [t.sandbox.media('png')])
  for (const to of [{ personId: robin.id }, { personId: robin.id, threadId }])
    await x.findMessage(actor, to, 'No', since)
  await x.findPost(actor, { text: 'No', media: [] }, since)
  for (const type of ['mention', 'feed', 'home', 'favorite', 'retweet']) await x.fetchStream(actor, { type })
  await x.fetchStream(actor, { type: 'keyword', keyword: 'film' })
  await x.fetchStream(actor, { type: 'list', listId: '12345' })
  await x.fetchStream(actor, { type: 'user', username: 'northwindoutdoor' })
  await x.fetchComments(actor, post)
  const { marker } = await x.fetchInbox(actor)
  await x.fetchInbox(actor, undefined, marker)
  await x.metrics(actor, [post, '1'])
  await x.profile(actor)
  await x.remove(actor, comment.remoteId)
  await x.refreshToken(actor)
}

function bodyOf({ body, headers }: OutboundRequest): unknown {
  const type = headers?.['content-type'] ?? ''
  if (type === 'application/json') return JSON.parse(String(body))
  if (!type.startsWith('multipart/')) return undefined
  const text = Buffer.from(body as Uint8Array).toString('latin1')
  const parts = [...text.matchAll(/name="(\w+)"(?:; filename[^\r]*\r\ncontent-type: [^\r]*)?\r\n\r\n([^\r]*)/g)]
  return Object.fromEntries(
    parts.map(([, name, value = '']) => [name, name === 'segment_index' ? Number(value) : value]),
  )
}
