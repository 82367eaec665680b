import { grantFor, guard, stripVersion, tokenIn } from '../graph/access.ts'
import { listConversations, listMessages, sendMessage } from '../graph/messages.ts'
import { graphAnswers, graphProblem, listing, node, unknownObject } from '../graph/responses.ts'
import { listSubscriptions, subscribeProfile, unsubscribeProfile } from '../graph/subscriptions.ts'
import type { Call } from '../http/request.ts'
import type { Answer } from '../http/response.ts'
import { type NetworkApi, type Route, route } from '../http/router.ts'
import { newestFirst, seenPerson, threadOf } from '../state/items.ts'
import { account, authorize, exchange, lengthen, refresh, target } from './login.ts'
import {
  accountInsights,
  accountShape,
  answerMention,
  comment,
  commentDefaults,
  commentShape,
  editComment,
  listComments,
  mediaDefaults,
  mediaInsights,
  mediaShape,
  removeNode,
  reply,
} from './nodes.ts'
import { containerShape, createContainer, publishContainer, publishingLimit } from './publishing.ts'

const nodeStep = (call: Call) => {
  if (call.world.containers.get(call.params.id ?? '')) return 'status'
  return call.world.items.get(`Instagram:${call.params.id}`) ? 'metrics' : 'profile'
}

const routes: Route[] = [
  route('GET', '/oauth/authorize', 'authorize', authorize),
  route('POST', '/oauth/access_token', 'token', exchange),
  route('GET', '/access_token', 'token', lengthen),
  route('GET', '/refresh_access_token', 'token', refresh),
  route('POST', '/:id/media', 'upload', createContainer),
  route('POST', '/:id/media_publish', 'publish', publishContainer),
  route('GET', '/:id/content_publishing_limit', 'profile', publishingLimit),
  route('GET', '/:id/media', 'posts', listMedia),
  route('GET', '/:id/tags', 'inbox', listTags),
  route('POST', '/:id/comments', 'comment', comment),
  route('GET', '/:id/comments', 'inbox', listComments),
  route('POST', '/:id/replies', 'reply', reply),
  route('GET', '/:id/replies', 'inbox', listComments),
  route('POST', '/:id/mentions', 'reply', answerMention),
  route('GET', '/:id/insights', 'metrics', insights),
  route('POST', '/:id/messages', 'message', (call) => sendMessage(call, account(call, 'manage_messages'))),
  route('GET', '/:id/messages', 'inbox', readThread),
  route('GET', '/:id/conversations', 'inbox', (call) => listConversations(call, account(call, 'manage_messages'))),
  route('POST', '/:id/subscribed_apps', 'subscribe', (call) => subscribeProfile(call, account(call, 'basic'))),
  route('GET', '/:id/subscribed_apps', 'subscribe', (call) => listSubscriptions(call, account(call, 'basic'))),
  route('DELETE', '/:id/subscribed_apps', 'subscribe', (call) => unsubscribeProfile(call, account(call, 'basic'))),
  route('GET', '/:id', nodeStep, readNode),
  route('POST', '/:id', 'moderate', editComment),
  route('DELETE', '/:id', 'delete', removeNode),
]

const profileOf: NetworkApi['profileOf'] = (call) => {
  const grant = call.world.grants.get(tokenIn(call) ?? '')
  if (grant?.network === 'Instagram') return grant.profile
  return call.world.profiles.find(({ network, page }) => network === 'Instagram' && page === grant?.profile)?.id
}

export const instagram: NetworkApi = {
  network: 'Instagram',
  routes,
  locate: stripVersion,
  profileOf,
  enter: (call) => guard(call, profileOf),
  answers: {
    ...graphAnswers,
    rateLimit: () =>
      graphProblem({
        code: 4,
        subcode: 1349210,
        message: '(#4) Application request limit reached',
        type: 'OAuthException',
      }),
    duplicate: () =>
      graphProblem({
        code: 9007,
        subcode: 2207041,
        message: 'The container was already published.',
        type: 'OAuthException',
      }),
    notReady: () =>
      graphProblem({ code: 9007, subcode: 2207027, message: 'Media ID is not available', type: 'OAuthException' }),
  },
}

function readNode(call: Call): Answer {
  const grant = grantFor(call)
  const id = call.params.id ?? ''
  const container = call.world.containers.get(id)
  if (container) {
    account(call, 'content_publish', container.profile)
    return node(call, containerShape(call, container), 'id')
  }
  const owner = call.world.profile('Instagram', id === 'me' ? (grant.profile ?? '') : id)
  if (owner) return node(call, { ...accountShape(call, owner), ...mentioned(call) }, 'id,username')
  const person = seenPerson(call.world, 'Instagram', id)
  if (person) return node(call, { ...person }, 'id,name,username')
  const { item } = target(call, 'basic')
  if (item.kind === 'comment') return node(call, commentShape(call, item), commentDefaults)
  return node(call, mediaShape(call, item), mediaDefaults)
}

/** `fields=mentioned_comment.comment_id(123){text}` asks for one comment through the account. */
function mentioned(call: Call) {
  const id = /mentioned_comment\.comment_id\((\d+)\)/.exec(String(call.fields.fields ?? ''))?.[1]
  const item = id === undefined ? undefined : call.world.items.live('Instagram', id)
  return item ? { mentioned_comment: commentShape(call, item) } : {}
}

function listMedia(call: Call): Answer {
  const posts = newestFirst(call.world.items.ofProfile('Instagram', account(call, 'basic').id, 'post'))
  return listing(call, posts, (post) => mediaShape(call, post), mediaDefaults)
}

function listTags(call: Call): Answer {
  const mentions = newestFirst(call.world.items.ofProfile('Instagram', account(call, 'basic').id, 'mention'))
  return listing(call, mentions, (post) => mediaShape(call, post), mediaDefaults)
}

function insights(call: Call): Answer {
  const isAccount = call.params.id === 'me' || call.world.profile('Instagram', call.params.id ?? '')
  return isAccount ? accountInsights(call, account(call, 'manage_insights')) : mediaInsights(call)
}

function readThread(call: Call): Answer {
  const thread = threadOf(call.world, 'Instagram', call.params.id ?? '')
  if (!thread) unknownObject(call.params.id ?? '')
  account(call, 'manage_messages', thread.profile)
  return listMessages(call, thread)
}
