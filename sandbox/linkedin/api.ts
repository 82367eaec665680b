import type { ApiRequest } from '../http/request.ts'
import { type NetworkApi, type Route, route } from '../http/router.ts'
import { guard, profileOf } from './access.ts'
import { comment, deleteComment, listComments, react, socialMetadata, socialMetadataOf, unreact } from './comments.ts'
import {
  me,
  memberFollowers,
  networkSize,
  organization,
  organizationAcls,
  people,
  person,
  userinfo,
} from './directory.ts'
import { listMessages, notifications, sendMessage, subscribe, unsubscribe } from './inbox.ts'
import { authorize, exchange, introspect, revoke } from './login.ts'
import { createPost, deletePost, editPost, listPosts, readPost } from './posts.ts'
import { linkedinFaultResponses } from './protocol.ts'
import { followerStatistics, memberPostAnalytics, shareStatistics } from './statistics.ts'
import { receivePart, uploadAction, uploadStatus } from './uploads.ts'

const commentOperation = (request: ApiRequest) =>
  (request.params.urn ?? '').startsWith('urn:li:comment:') ? 'reply' : 'comment'

const routes: Route[] = [
  route('GET', '/oauth/v2/authorization', 'authorize', authorize),
  route('POST', '/oauth/v2/accessToken', 'token', exchange),
  route('POST', '/oauth/v2/introspectToken', 'token', introspect),
  route('POST', '/oauth/v2/revoke', 'token', revoke),
  route('GET', '/v2/userinfo', 'profile', userinfo),
  route('GET', '/v2/me', 'profile', me),
  route('GET', '/rest/memberFollowersCount', 'profile', memberFollowers),
  route('GET', '/rest/people', 'profile', people),
  route('GET', '/rest/people/:key', 'profile', person),
  route('GET', '/v2/people/:key', 'profile', person),
  route('GET', '/rest/organizationAcls', 'profile', organizationAcls),
  route('GET', '/rest/organizations/:id', 'profile', organization),
  route('GET', '/rest/networkSizes/:urn', 'profile', networkSize),
  route('POST', '/rest/images', 'upload', uploadAction('image')),
  route('POST', '/rest/documents', 'upload', uploadAction('document')),
  route('POST', '/rest/videos', 'upload', uploadAction('video')),
  route('PUT', '/dms-uploads/:urn/:part', 'upload', receivePart),
  route('GET', '/rest/images/:urn', 'status', uploadStatus),
  route('GET', '/rest/documents/:urn', 'status', uploadStatus),
  route('GET', '/rest/videos/:urn', 'status', uploadStatus),
  route('POST', '/rest/posts', 'publish', createPost),
  route('GET', '/rest/posts', 'posts', listPosts),
  route('GET', '/rest/posts/:urn', 'posts', readPost),
  route('POST', '/rest/posts/:urn', 'moderate', editPost),
  route('DELETE', '/rest/posts/:urn', 'delete', deletePost),
  route('POST', '/rest/socialActions/:urn/comments', commentOperation, comment),
  route('GET', '/rest/socialActions/:urn/comments', 'inbox', listComments),
  route('DELETE', '/rest/socialActions/:urn/comments/:number', 'delete', deleteComment),
  route('POST', '/rest/socialActions/:urn/likes', 'like', react),
  route('POST', '/rest/reactions', 'like', react),
  route('DELETE', '/rest/reactions/:key', 'like', unreact),
  route('GET', '/rest/socialMetadata', 'metrics', socialMetadataOf),
  route('GET', '/rest/socialMetadata/:urn', 'metrics', socialMetadata),
  route('GET', '/rest/organizationalEntityShareStatistics', 'metrics', shareStatistics),
  route('GET', '/rest/organizationalEntityFollowerStatistics', 'metrics', followerStatistics),
  route('GET', '/rest/memberCreatorPostAnalytics', 'metrics', memberPostAnalytics),
  route('GET', '/rest/organizationalEntityNotifications', 'inbox', notifications),
  route('PUT', '/rest/eventSubscriptions/:key', 'subscribe', subscribe),
  route('DELETE', '/rest/eventSubscriptions/:key', 'subscribe', unsubscribe),
  route('POST', '/v2/messages', 'message', sendMessage),
  route('GET', '/v2/messages', 'inbox', listMessages),
  route('POST', '/rest/messages', 'message', sendMessage),
  route('GET', '/rest/messages', 'inbox', listMessages),
]

export const linkedin: NetworkApi = {
  network: 'LinkedIn',
  routes,
  faultResponses: linkedinFaultResponses,
  guard,
  profileOf,
}
