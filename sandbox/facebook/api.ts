import { guard, ownProfile, stripVersion, tokenIn } from '../graph/access.ts'
import { listConversations, sendMessage } from '../graph/messages.ts'
import { graphFaultResponses, graphProblem, pageThrottled } from '../graph/responses.ts'
import { listSubscriptions, subscribeApp, subscribeProfile, unsubscribeProfile } from '../graph/subscriptions.ts'
import type { ApiRequest } from '../http/request.ts'
import { type NetworkApi, type Route, route } from '../http/router.ts'
import {
  authorize,
  businesses,
  businessPages,
  debugToken,
  exchange,
  pages,
  permissions,
  revokePermissions,
} from './login.ts'
import {
  comment,
  editNode,
  like,
  listComments,
  listPosts,
  listTagged,
  readCurrentUser,
  readInsights,
  readNode,
  readThread,
  removeNode,
  unlike,
} from './nodes.ts'
import { duplicate, publishFeed, receiveReel, uploadPhoto, uploadReel, uploadVideo } from './publishing.ts'

const pageOf = (request: ApiRequest, scope: string) => ownProfile(request, 'Facebook', request.params.id ?? '', scope)

/** The `finish` phase publishes a video, or a single request does everything; other phases only upload. */
const videoOperation = (request: ApiRequest) =>
  ['start', 'transfer'].includes(String(request.fields.upload_phase)) ? 'upload' : 'publish'
const photoOperation = (request: ApiRequest) => (String(request.fields.published) === 'false' ? 'upload' : 'publish')
const commentOperation = (request: ApiRequest) => {
  const under = request.state.items.live('Facebook', request.params.id ?? '')
  return under?.kind === 'comment' ? 'reply' : 'comment'
}
const nodeOperation = (request: ApiRequest) => {
  const id = request.params.id ?? ''
  if (request.state.profile('Facebook', id)) return 'profile'
  return request.state.items.get(`Facebook:${id}`) ? 'metrics' : 'status'
}

const routes: Route[] = [
  route('GET', '/dialog/oauth', 'authorize', authorize),
  route('GET', '/oauth/access_token', 'token', exchange),
  route('POST', '/oauth/access_token', 'token', exchange),
  route('GET', '/debug_token', 'profile', debugToken),
  route('GET', '/me', 'profile', readCurrentUser),
  route('GET', '/me/permissions', 'profile', permissions),
  route('DELETE', '/me/permissions', 'delete', revokePermissions),
  route('GET', '/me/accounts', 'profile', pages),
  route('GET', '/me/businesses', 'profile', businesses),
  route('GET', '/:id/owned_pages', 'profile', businessPages('owned')),
  route('GET', '/:id/client_pages', 'profile', businessPages('client')),
  route('POST', '/video-upload/:version/:video', 'upload', receiveReel),
  route('POST', '/:id/feed', 'publish', publishFeed),
  route('POST', '/:id/photos', photoOperation, uploadPhoto),
  route('POST', '/:id/videos', videoOperation, uploadVideo),
  route('POST', '/:id/video_reels', videoOperation, uploadReel),
  route('POST', '/:id/comments', commentOperation, comment),
  route('GET', '/:id/comments', 'inbox', listComments),
  route('POST', '/:id/likes', 'like', like),
  route('DELETE', '/:id/likes', 'like', unlike),
  route('POST', '/:id/messages', 'message', (request) => sendMessage(request, pageOf(request, 'pages_messaging'))),
  route('GET', '/:id/messages', 'inbox', readThread),
  route('GET', '/:id/conversations', 'inbox', (request) =>
    listConversations(request, pageOf(request, 'pages_messaging')),
  ),
  route('GET', '/:id/posts', 'posts', listPosts),
  route('GET', '/:id/feed', 'posts', listPosts),
  route('GET', '/:id/published_posts', 'posts', listPosts),
  route('GET', '/:id/tagged', 'inbox', listTagged),
  route('GET', '/:id/insights', 'metrics', readInsights),
  route('POST', '/:id/subscriptions', 'subscribe', subscribeApp),
  route('POST', '/:id/subscribed_apps', 'subscribe', (request) =>
    subscribeProfile(request, pageOf(request, 'pages_manage_metadata')),
  ),
  route('GET', '/:id/subscribed_apps', 'subscribe', (request) =>
    listSubscriptions(request, pageOf(request, 'pages_manage_metadata')),
  ),
  route('DELETE', '/:id/subscribed_apps', 'subscribe', (request) =>
    unsubscribeProfile(request, pageOf(request, 'pages_manage_metadata')),
  ),
  route('GET', '/:id', nodeOperation, readNode),
  route('POST', '/:id', 'moderate', editNode),
  route('DELETE', '/:id', 'delete', removeNode),
]

const profileOf: NetworkApi['profileOf'] = (request) => request.state.grants.get(tokenIn(request) ?? '')?.profile

export const facebook: NetworkApi = {
  network: 'Facebook',
  routes,
  rewritePath: stripVersion,
  profileOf,
  guard: (request) => guard(request, profileOf),
  faultResponses: {
    ...graphFaultResponses,
    rateLimit: (request) => pageThrottled(request, profileOf(request) ?? ''),
    duplicate: () => duplicate,
    notReady: () =>
      graphProblem({
        code: 1363047,
        message: 'The video is still being processed.',
        transient: true,
        type: 'OAuthException',
      }),
  },
}
