import { guard, ownProfile, stripVersion, tokenIn } from '../graph/access.ts'
import { listConversations, sendMessage } from '../graph/messages.ts'
import { graphAnswers, graphProblem, pageThrottled } from '../graph/responses.ts'
import { listSubscriptions, subscribeApp, subscribeProfile, unsubscribeProfile } from '../graph/subscriptions.ts'
import type { Call } from '../http/request.ts'
import { type NetworkApi, type Route, route } from '../http/router.ts'
import { businesses, businessPages, dialog, exchange, inspect, pages, permissions, withdraw } from './login.ts'
import {
  comment,
  editNode,
  like,
  listComments,
  listPosts,
  listTagged,
  readInsights,
  readMe,
  readNode,
  readThread,
  removeNode,
  unlike,
} from './nodes.ts'
import { duplicate, publishFeed, receiveReel, uploadPhoto, uploadReel, uploadVideo } from './publishing.ts'

const pageOf = (call: Call, scope: string) => ownProfile(call, 'Facebook', call.params.id ?? '', scope)

/** A video goes out with the finish, or with the one call that does it all; the rest is preparation. */
const videoStep = (call: Call) =>
  ['start', 'transfer'].includes(String(call.fields.upload_phase)) ? 'upload' : 'publish'
const photoStep = (call: Call) => (String(call.fields.published) === 'false' ? 'upload' : 'publish')
const commentStep = (call: Call) => {
  const under = call.world.items.live('Facebook', call.params.id ?? '')
  return under?.kind === 'comment' ? 'reply' : 'comment'
}
const nodeStep = (call: Call) => {
  const id = call.params.id ?? ''
  if (call.world.profile('Facebook', id)) return 'profile'
  return call.world.items.get(`Facebook:${id}`) ? 'metrics' : 'status'
}

const routes: Route[] = [
  route('GET', '/dialog/oauth', 'authorize', dialog),
  route('GET', '/oauth/access_token', 'token', exchange),
  route('POST', '/oauth/access_token', 'token', exchange),
  route('GET', '/debug_token', 'profile', inspect),
  route('GET', '/me', 'profile', readMe),
  route('GET', '/me/permissions', 'profile', permissions),
  route('DELETE', '/me/permissions', 'delete', withdraw),
  route('GET', '/me/accounts', 'profile', pages),
  route('GET', '/me/businesses', 'profile', businesses),
  route('GET', '/:id/owned_pages', 'profile', businessPages('owned')),
  route('GET', '/:id/client_pages', 'profile', businessPages('client')),
  route('POST', '/video-upload/:version/:video', 'upload', receiveReel),
  route('POST', '/:id/feed', 'publish', publishFeed),
  route('POST', '/:id/photos', photoStep, uploadPhoto),
  route('POST', '/:id/videos', videoStep, uploadVideo),
  route('POST', '/:id/video_reels', videoStep, uploadReel),
  route('POST', '/:id/comments', commentStep, comment),
  route('GET', '/:id/comments', 'inbox', listComments),
  route('POST', '/:id/likes', 'like', like),
  route('DELETE', '/:id/likes', 'like', unlike),
  route('POST', '/:id/messages', 'message', (call) => sendMessage(call, pageOf(call, 'pages_messaging'))),
  route('GET', '/:id/messages', 'inbox', readThread),
  route('GET', '/:id/conversations', 'inbox', (call) => listConversations(call, pageOf(call, 'pages_messaging'))),
  route('GET', '/:id/posts', 'posts', listPosts),
  route('GET', '/:id/feed', 'posts', listPosts),
  route('GET', '/:id/published_posts', 'posts', listPosts),
  route('GET', '/:id/tagged', 'inbox', listTagged),
  route('GET', '/:id/insights', 'metrics', readInsights),
  route('POST', '/:id/subscriptions', 'subscribe', subscribeApp),
  route('POST', '/:id/subscribed_apps', 'subscribe', (call) =>
    subscribeProfile(call, pageOf(call, 'pages_manage_metadata')),
  ),
  route('GET', '/:id/subscribed_apps', 'subscribe', (call) =>
    listSubscriptions(call, pageOf(call, 'pages_manage_metadata')),
  ),
  route('DELETE', '/:id/subscribed_apps', 'subscribe', (call) =>
    unsubscribeProfile(call, pageOf(call, 'pages_manage_metadata')),
  ),
  route('GET', '/:id', nodeStep, readNode),
  route('POST', '/:id', 'moderate', editNode),
  route('DELETE', '/:id', 'delete', removeNode),
]

const profileOf: NetworkApi['profileOf'] = (call) => call.world.grants.get(tokenIn(call) ?? '')?.profile

export const facebook: NetworkApi = {
  network: 'Facebook',
  routes,
  locate: stripVersion,
  profileOf,
  enter: (call) => guard(call, profileOf),
  answers: {
    ...graphAnswers,
    rateLimit: (call) => pageThrottled(call, profileOf(call) ?? ''),
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
