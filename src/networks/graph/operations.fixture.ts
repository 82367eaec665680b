import type { OutboundRequest } from '#kernel/outbound/exchange.ts'
import { simulatedUser, testReceiver } from '../../../sandbox/sandbox.fixture.ts'
import { sandboxActor } from '../../../tests/networks/sandbox-networks.ts'
import type { Connector } from '../connector/connector.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import { openFacebook } from '../facebook/facebook.ts'
import { openInstagram } from '../instagram/instagram.ts'
import { type MetaSandbox, metaSandbox, publishAll } from './graph.fixture.ts'

/** Placeholders for the ids of one kind in recorded requests. */
type Kinds = Map<string, string>

const day = 86_400_000
const redirectUri = 'http://127.0.0.1:1/back'
const page = '100200300400501'

/** Exercises both connectors through each login and returns the requests they sent: `GET graph.facebook.com/{page}/posts`. */
export async function recordOperations(): Promise<string[]> {
  const sandbox = await metaSandbox()
  const receiver = await testReceiver()
  receiver.answer = ({ query }) => ({ status: 200, body: query.get('hub.challenge') ?? '' })
  const recorded: { method: string; path: string }[] = []
  const { outbound } = sandbox.world
  const send = (request: OutboundRequest) => {
    recorded.push({ method: request.method, path: new URL(request.url).pathname })
    return outbound.send(request)
  }
  const fixture: NetworkInstallation = { ...sandbox.world, outbound: { ...outbound, send } }
  const kinds: Kinds = new Map([
    [page, '{page}'],
    ['7700', '{business}'],
    [sandboxActor('Instagram').remoteId, '{account}'],
    [sandbox.app('Facebook').clientId, '{app}'],
  ])
  const business = { network: 'Facebook', kind: 'page', account: '100200300400900', business: '7700' }
  await sandbox.control('/profile', { ...business, name: 'Client', access: 'client' })
  await useFacebook(sandbox, fixture, kinds, `${receiver.url}/push`)
  await useInstagram(sandbox, fixture, kinds)
  await usePageLogin(sandbox, fixture, kinds)
  await receiver.close()
  await sandbox.close()
  const named = recorded.map(({ method, path }) => {
    const [, host, ...parts] = path.split('/')
    const steps = parts.filter((part) => !/^v\d+\.0$/.test(part)).map((part) => kinds.get(part) ?? unnamed(host, part))
    return `${method} ${[host, ...steps].join('/')}`
  })
  return [...new Set(named)].sort()
}

/** Ids that the connectors don't expose: videos in processing, and containers. */
const unnamed = (host: string | undefined, part: string) =>
  /^\d+$/.test(part) ? (host === 'graph.facebook.com' ? '{video or container}' : '{container}') : part

async function login(sandbox: MetaSandbox, connector: Connector) {
  const url = connector.authorizeUrl({ state: 's', redirectUri, verifier: 'v' })
  const back = new URL((await sandbox.call(`${url}&auto=1`)).headers.get('location') ?? '')
  const code = back.searchParams.get('code') ?? ''
  return connector.exchangeCode({ code, redirectUri, verifier: 'v' })
}

async function useFacebook(sandbox: MetaSandbox, fixture: NetworkInstallation, kinds: Kinds, callback: string) {
  const facebook = openFacebook(sandbox.app('Facebook'), fixture)
  await login(sandbox, facebook)
  const actor = sandboxActor('Facebook')
  const since = sandbox.clock.now()
  await facebook.subscribePush(actor, callback)
  const publish = async (text: string, media: Parameters<typeof facebook.reply>[3] = []) => {
    const draft = { text, media }
    const { remoteId } = await publishAll(sandbox, facebook, actor, draft)
    kinds.set(remoteId, '{post}')
    return { draft, remoteId }
  }
  const { draft, remoteId: postId } = await publish('Words')
  await publish('Picture', [sandbox.media('jpeg')])
  await publish('Film', [sandbox.media('mp4')])
  await facebook.findPost(actor, draft, since)
  const base = { network: 'Facebook', profile: page, from: simulatedUser, push: false }
  const { remoteId: commentId } = await sandbox.inject({ ...base, kind: 'comment', postRemoteId: postId, text: 'Why?' })
  kinds.set(commentId, '{comment}')
  await sandbox.inject({ ...base, kind: 'mention', text: 'Look' })
  await sandbox.inject({ ...base, kind: 'message', text: 'Hi' })
  await facebook.reply(actor, { postId }, 'First', [])
  const { remoteId: response } = await facebook.reply(actor, { postId, commentId }, 'Because', [])
  kinds.set(response, '{comment}')
  await facebook.findReply(actor, { postId, commentId }, 'Because', since)
  await facebook.like(actor, { postId })
  await facebook.like(actor, { postId, commentId })
  const to = { personId: simulatedUser.id, lastInboundAt: sandbox.clock.now() }
  await facebook.message(actor, to, 'Yes?', [])
  await facebook.findMessage(actor, to, 'Yes?', since)
  await readEverything(facebook, actor, postId, ['ownpage', 'tag'])
  await facebook.remove(actor, response)
  await facebook.remove(actor, postId)
}

async function useInstagram(sandbox: MetaSandbox, fixture: NetworkInstallation, kinds: Kinds) {
  const instagram = openInstagram(sandbox.app('Instagram'), fixture)
  const [actor] = await login(sandbox, instagram)
  if (!actor) throw new Error('The login opened nothing.')
  const since = sandbox.clock.now()
  await instagram.subscribePush(actor, '')
  const draft = { text: 'Two', media: [sandbox.media('jpeg'), sandbox.media('jpeg')] }
  const { remoteId: postId, saved } = await publishAll(sandbox, instagram, actor, draft)
  kinds.set(postId, '{media}')
  await instagram.findPost(actor, draft, since, saved.at(-1))
  const base = { network: 'Instagram', profile: actor.remoteId, from: simulatedUser, push: false }
  const { remoteId: commentId } = await sandbox.inject({ ...base, kind: 'comment', postRemoteId: postId, text: 'Why?' })
  const mention = await sandbox.inject({ ...base, kind: 'mention', text: 'Look' })
  kinds.set(commentId, '{comment}').set(mention.remoteId, '{media}')
  const { remoteId: first } = await instagram.reply(actor, { postId }, 'First', [])
  kinds.set(first, '{comment}')
  await instagram.reply(actor, { postId, commentId }, 'Because', [])
  await instagram.reply(actor, { postId: mention.remoteId }, 'Thank you', [])
  await instagram.findReply(actor, { postId }, 'First', since)
  await instagram.findReply(actor, { postId, commentId }, 'Because', since)
  await instagram.postOfComment?.(actor, commentId)
  await readEverything(instagram, actor, postId, ['page', 'page.tags'])
  await instagram.remove(actor, first)
  sandbox.move(2 * day)
  await instagram.refreshToken(actor)
}

async function usePageLogin(sandbox: MetaSandbox, fixture: NetworkInstallation, kinds: Kinds) {
  const { clientId, clientSecret } = sandbox.app('Facebook')
  const app: NetworkApp = sandbox.appOf('Instagram', {
    CHORUS_INSTAGRAM_LOGIN: 'facebook',
    CHORUS_INSTAGRAM_CLIENT_ID: clientId,
    CHORUS_INSTAGRAM_CLIENT_SECRET: clientSecret,
  })
  const instagram = openInstagram(app, fixture)
  const [actor] = await login(sandbox, instagram)
  if (!actor) throw new Error('The login opened nothing.')
  const token = { method: 'DELETE', token: `sandbox-facebook-${page}-access` }
  await sandbox.call(`/facebook/v26.0/${page}/subscribed_apps`, token)
  await instagram.subscribePush(actor, '')
  const draft = { text: 'One', media: [sandbox.media('jpeg')] }
  const { remoteId } = await publishAll(sandbox, instagram, actor, draft)
  kinds.set(remoteId, '{media}')
  await instagram.remove(actor, remoteId)
}

async function readEverything(
  connector: Connector,
  actor: Parameters<Connector['profile']>[0],
  postId: string,
  streams: readonly string[],
) {
  await connector.metrics(actor, [postId])
  await connector.profile(actor)
  await connector.fetchComments(actor, postId)
  await connector.fetchInbox(actor)
  for (const type of streams) await connector.fetchStream(actor, { type })
}
