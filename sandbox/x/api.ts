import { type ApiRequest, nestedText } from '../http/request.ts'
import { type NetworkApi, type Route, route } from '../http/router.ts'
import { appToken, authorize, exchange, guard, profileOf, revoke, twitterFaultResponses } from './access.ts'
import { bill, requireCredits } from './billing.ts'
import { events, send } from './messages.ts'
import { createTweet, deleteTweet, hide, like, unlike } from './posts.ts'
import {
  home,
  likedTweets,
  listTweets,
  lookup,
  me,
  mentions,
  reposts,
  search,
  single,
  timeline,
  userById,
  userByName,
} from './reading.ts'
import {
  checkWebhook,
  createWebhook,
  deleteWebhook,
  listSubscriptions,
  listWebhooks,
  subscribe,
  unsubscribe,
} from './subscriptions.ts'
import { append, describe, finalize, initialize, upload, uploadStatus } from './uploads.ts'

/** One endpoint creates posts, first comments and replies; the parent distinguishes them. */
const tweetOperation = (request: ApiRequest) => {
  const id = nestedText(request, 'reply', 'in_reply_to_tweet_id')
  if (id === undefined) return 'publish'
  return request.state.items.live('Twitter', id)?.from.id === profileOf(request) ? 'comment' : 'reply'
}

const routes: Route[] = [
  route('GET', '/i/oauth2/authorize', 'authorize', authorize),
  route('POST', '/oauth2/token', 'token', appToken),
  route('POST', '/2/oauth2/token', 'token', exchange),
  route('POST', '/2/oauth2/revoke', 'token', revoke),
  route('POST', '/2/tweets', tweetOperation, createTweet),
  route('GET', '/2/tweets', 'metrics', lookup),
  route('GET', '/2/tweets/search/recent', 'inbox', search),
  route('GET', '/2/tweets/:id', 'posts', single),
  route('DELETE', '/2/tweets/:id', 'delete', deleteTweet),
  route('PUT', '/2/tweets/:id/hidden', 'moderate', hide),
  route('POST', '/2/media/upload', 'upload', upload),
  route('GET', '/2/media/upload', 'status', uploadStatus),
  route('POST', '/2/media/upload/initialize', 'upload', initialize),
  route('POST', '/2/media/upload/:id/append', 'upload', append),
  route('POST', '/2/media/upload/:id/finalize', 'upload', finalize),
  route('POST', '/2/media/metadata', 'upload', describe),
  route('GET', '/2/users/me', 'profile', me),
  route('GET', '/2/users/reposts_of_me', 'posts', reposts),
  route('GET', '/2/users/by/username/:username', 'profile', userByName),
  route('GET', '/2/users/:id', 'profile', userById),
  route('GET', '/2/users/:id/tweets', 'posts', timeline),
  route('GET', '/2/users/:id/mentions', 'inbox', mentions),
  route('GET', '/2/users/:id/timelines/reverse_chronological', 'posts', home),
  route('GET', '/2/users/:id/liked_tweets', 'posts', likedTweets),
  route('POST', '/2/users/:id/likes', 'like', like),
  route('DELETE', '/2/users/:id/likes/:tweet', 'like', unlike),
  route('GET', '/2/lists/:id/tweets', 'posts', listTweets),
  route('GET', '/2/dm_events', 'inbox', events),
  route('GET', '/2/dm_conversations/with/:participant/dm_events', 'inbox', events),
  route('GET', '/2/dm_conversations/:conversation/dm_events', 'inbox', events),
  route('POST', '/2/dm_conversations/with/:participant/messages', 'message', send),
  route('POST', '/2/dm_conversations/:conversation/messages', 'message', send),
  route('POST', '/2/webhooks', 'subscribe', createWebhook),
  route('GET', '/2/webhooks', 'subscribe', listWebhooks),
  route('PUT', '/2/webhooks/:id', 'subscribe', checkWebhook),
  route('DELETE', '/2/webhooks/:id', 'subscribe', deleteWebhook),
  route('POST', '/2/activity/subscriptions', 'subscribe', subscribe),
  route('GET', '/2/activity/subscriptions', 'subscribe', listSubscriptions),
  route('DELETE', '/2/activity/subscriptions/:id', 'subscribe', unsubscribe),
]

export const twitter: NetworkApi = {
  network: 'Twitter',
  routes,
  faultResponses: twitterFaultResponses,
  guard(request, matched) {
    requireCredits(request)
    guard(request, matched)
  },
  bill,
  profileOf,
}
