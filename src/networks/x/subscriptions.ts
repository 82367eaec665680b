import type { Actor } from '../connector/actor.ts'
import { NetworkError } from '../connector/fault.ts'
import type { Json } from '../wire/json.ts'
import { type Listing, listingOf, objectIn } from './answers.ts'
import { idIn, type XCalls } from './calls.ts'
import { consumerSecret } from './push.ts'

/** X tells in public what everyone can see; the rest only to apps the account has let in, who show its token. */
const events = [
  { type: 'post.create', isPublic: true },
  { type: 'post.delete', isPublic: true },
  { type: 'post.mention.create', isPublic: false },
  { type: 'post.reply.create', isPublic: false },
  { type: 'dm.received', isPublic: false },
  { type: 'dm.sent', isPublic: false },
]
const tag = 'chorus'
const conflict = 409

interface Webhook {
  id: string
  url: string
  valid?: boolean
}

interface Subscription {
  event_type?: string
  filter?: { user_id?: string }
  webhook_id?: string
}

export async function subscribePush(calls: XCalls, actor: Actor, callback: string): Promise<{ renewBefore?: Date }> {
  const bearer = await appBearer(calls)
  const webhook_id = await webhookFor(calls, bearer, callback)
  const known = await subscribed(calls, bearer, actor, webhook_id)
  for (const { type, isPublic } of events) {
    if (known.has(type)) continue
    const json = { event_type: type, filter: { user_id: actor.remoteId }, tag, webhook_id }
    const call = { method: 'POST', path: '/activity/subscriptions', json } as const
    await unlessConflict(isPublic ? calls.asApp(bearer, call) : calls.as(actor, call))
  }
  return {}
}

/** X has no call that checks the keys of logins by themselves; the consumer keys get the app's own token. */
export async function checkApp(calls: XCalls): Promise<void> {
  try {
    await appBearer(calls)
  } catch (error) {
    const status = error instanceof NetworkError ? error.remote.status : undefined
    if (!(error instanceof NetworkError) || (status !== 401 && status !== 403)) throw error
    throw new NetworkError('Twitter', { kind: 'permanent', why: 'config' }, error.message, error.remote, error)
  }
}

async function appBearer(calls: XCalls): Promise<string> {
  const { options, clientId } = calls.app
  const keys = { id: options.consumerKey ?? clientId, secret: consumerSecret(calls.app) }
  const form = { grant_type: 'client_credentials' }
  const { body } = await calls.withKeys(keys, { method: 'POST', path: '/oauth2/token', form })
  const { access_token } = objectIn(body)
  if (typeof access_token === 'string') return access_token
  const sentence = 'Twitter: the app got no token of its own; its consumer key and secret may be wrong.'
  throw new NetworkError('Twitter', { kind: 'permanent', why: 'config' }, sentence)
}

/** An address is registered once for the whole app, whoever of its profiles came first. */
async function webhookFor(calls: XCalls, bearer: string, callback: string): Promise<string> {
  const known = await findWebhook(calls, bearer, callback)
  if (known?.valid === false) await calls.asApp(bearer, { method: 'PUT', path: `/webhooks/${known.id}` })
  if (known) return known.id
  try {
    const call = { method: 'POST', path: '/webhooks', json: { url: callback } } as const
    return idIn(await calls.asApp(bearer, call), 'id')
  } catch (error) {
    // Another worker may have been faster.
    const made = error instanceof NetworkError && error.fault.kind === 'permanent'
    const found = made ? await findWebhook(calls, bearer, callback) : undefined
    if (found) return found.id
    throw error
  }
}

async function findWebhook(calls: XCalls, bearer: string, callback: string): Promise<Webhook | undefined> {
  const { data = [] } = listingOf<Webhook>(await calls.asApp(bearer, { method: 'GET', path: '/webhooks' }))
  return data.find(({ url }) => url === callback)
}

const mostPages = 100

async function subscribed(calls: XCalls, bearer: string, actor: Actor, webhookId: string): Promise<Set<string>> {
  const types = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { max_results: 1000, pagination_token: cursor }
    const answer = await calls.asApp(bearer, { method: 'GET', path: '/activity/subscriptions', query })
    const { data = [], meta }: Listing<Subscription> = listingOf(answer)
    for (const { event_type, filter, webhook_id } of data) {
      if (event_type && filter?.user_id === actor.remoteId && webhook_id === webhookId) types.add(event_type)
    }
    cursor = meta?.next_token
    if (cursor === undefined) break
  }
  return types
}

async function unlessConflict(sent: Promise<{ body?: Json | undefined }>) {
  try {
    await sent
  } catch (error) {
    if (!(error instanceof NetworkError) || error.remote.status !== conflict) throw error
  }
}
