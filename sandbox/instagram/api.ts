import { grantFor, guard, stripVersion, tokenIn } from '../graph/access.ts'
import { listConversations, listMessages, sendMessage } from '../graph/messages.ts'
import { graphFaultResponses, graphProblem, listResponse, nodeResponse, unknownObject } from '../graph/responses.ts'
import { listSubscriptions, subscribeProfile, unsubscribeProfile } from '../graph/subscriptions.ts'
import type { ApiRequest } from '../http/request.ts'
import type { ApiResponse } from '../http/response.ts'
import { type NetworkApi, type Route, route } from '../http/router.ts'
import { findPerson, findThread, newestFirst } from '../state/items.ts'
import { account, authorize, exchange, extendToken, refresh, target } from './login.ts'
import {
  accountInsights,
  accountShape,
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
  replyToMention,
} from './nodes.ts'
import { containerShape, createContainer, publishContainer, publishingLimit } from './publishing.ts'

const nodeOperation = (request: ApiRequest) => {
  if (request.state.containers.get(request.params.id ?? '')) return 'status'
  return request.state.items.get(`Instagram:${request.params.id}`) ? 'metrics' : 'profile'
}

const routes: Route[] = [
  route('GET', '/oauth/authorize', 'authorize', authorize),
  route('POST', '/oauth/access_token', 'token', exchange),
  route('GET', '/access_token', 'token', extendToken),
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
  route('POST', '/:id/mentions', 'reply', replyToMention),
  route('GET', '/:id/insights', 'metrics', insights),
  route('POST', '/:id/messages', 'message', (request) => sendMessage(request, account(request, 'manage_messages'))),
  route('GET', '/:id/messages', 'inbox', readThread),
  route('GET', '/:id/conversations', 'inbox', (request) =>
    listConversations(request, account(request, 'manage_messages')),
  ),
  route('POST', '/:id/subscribed_apps', 'subscribe', (request) => subscribeProfile(request, account(request, 'basic'))),
  route('GET', '/:id/subscribed_apps', 'subscribe', (request) => listSubscriptions(request, account(request, 'basic'))),
  route('DELETE', '/:id/subscribed_apps', 'subscribe', (request) =>
    unsubscribeProfile(request, account(request, 'basic')),
  ),
  route('GET', '/:id', nodeOperation, readNode),
  route('POST', '/:id', 'moderate', editComment),
  route('DELETE', '/:id', 'delete', removeNode),
]

const profileOf: NetworkApi['profileOf'] = (request) => {
  const grant = request.state.grants.get(tokenIn(request) ?? '')
  if (grant?.network === 'Instagram') return grant.profile
  return request.state.profiles.find(({ network, page }) => network === 'Instagram' && page === grant?.profile)?.id
}

export const instagram: NetworkApi = {
  network: 'Instagram',
  routes,
  rewritePath: stripVersion,
  profileOf,
  guard: (request) => guard(request, profileOf),
  faultResponses: {
    ...graphFaultResponses,
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

function readNode(request: ApiRequest): ApiResponse {
  const grant = grantFor(request)
  const id = request.params.id ?? ''
  const container = request.state.containers.get(id)
  if (container) {
    account(request, 'content_publish', container.profile)
    return nodeResponse(request, containerShape(request, container), 'id')
  }
  const owner = request.state.profile('Instagram', id === 'me' ? (grant.profile ?? '') : id)
  if (owner) return nodeResponse(request, { ...accountShape(request, owner), ...mentioned(request) }, 'id,username')
  const person = findPerson(request.state, 'Instagram', id)
  if (person) return nodeResponse(request, { ...person }, 'id,name,username')
  const { item } = target(request, 'basic')
  if (item.kind === 'comment') return nodeResponse(request, commentShape(request, item), commentDefaults)
  return nodeResponse(request, mediaShape(request, item), mediaDefaults)
}

/** `fields=mentioned_comment.comment_id(123){text}` reads one comment through the account. */
function mentioned(request: ApiRequest) {
  const id = /mentioned_comment\.comment_id\((\d+)\)/.exec(String(request.fields.fields ?? ''))?.[1]
  const item = id === undefined ? undefined : request.state.items.live('Instagram', id)
  return item ? { mentioned_comment: commentShape(request, item) } : {}
}

function listMedia(request: ApiRequest): ApiResponse {
  const posts = newestFirst(request.state.items.ofProfile('Instagram', account(request, 'basic').id, 'post'))
  return listResponse(request, posts, (post) => mediaShape(request, post), mediaDefaults)
}

function listTags(request: ApiRequest): ApiResponse {
  const mentions = newestFirst(request.state.items.ofProfile('Instagram', account(request, 'basic').id, 'mention'))
  return listResponse(request, mentions, (post) => mediaShape(request, post), mediaDefaults)
}

function insights(request: ApiRequest): ApiResponse {
  const isAccount = request.params.id === 'me' || request.state.profile('Instagram', request.params.id ?? '')
  return isAccount ? accountInsights(request, account(request, 'manage_insights')) : mediaInsights(request)
}

function readThread(request: ApiRequest): ApiResponse {
  const thread = findThread(request.state, 'Instagram', request.params.id ?? '')
  if (!thread) unknownObject(request.params.id ?? '')
  account(request, 'manage_messages', thread.profile)
  return listMessages(request, thread)
}
