import { type ApiRequest, nestedText } from '../http/request.ts'
import { type NetworkApi, type Route, route } from '../http/router.ts'
import {
  authorize,
  businessRefresh,
  businessRevoke,
  businessToken,
  businessTokenInfo,
  developerRevoke,
  developerToken,
  guard,
  profileOf,
  tiktokFaultResponses,
} from './access.ts'
import {
  account,
  addUrlProperty,
  publishStatus as businessStatus,
  deleteUrlProperty,
  deleteWebhook,
  listUrlProperties,
  listVideos,
  listWebhook,
  publishPhotos,
  publishVideo,
  updateWebhook,
  verifyUrlProperty,
  videoSettings,
} from './business.ts'
import { creatorInfo, initPhotos, initVideo, publishStatus, queryVideos, receiveVideo, userInfo } from './developer.ts'
import {
  createComment,
  createReply,
  deleteComment,
  hideComment,
  likeComment,
  listComments,
  listConversations,
  listMessages,
  listReplies,
  sendMessage,
  uploadCommentImage,
} from './inbox.ts'

const business = '/open_api/v1.3'

/** Downloaded media is published by the init request, uploaded media by its last chunk. */
const initOperation = (request: ApiRequest) =>
  nestedText(request, 'source_info', 'source') === 'PULL_FROM_URL' ? 'publish' : 'upload'
const chunkOperation = (request: ApiRequest) => {
  const [, last, total] = /-(\d+)\/(\d+)$/.exec(request.headers['content-range'] ?? '') ?? []
  return Number(last) + 1 === Number(total) ? 'publish' : 'upload'
}

const routes: Route[] = [
  route('GET', '/v2/auth/authorize', 'authorize', authorize),
  route('POST', '/v2/oauth/token', 'token', developerToken),
  route('POST', '/v2/oauth/revoke', 'token', developerRevoke),
  route('POST', '/v2/post/publish/creator_info/query', 'profile', creatorInfo),
  route('POST', '/v2/post/publish/video/init', initOperation, initVideo),
  route('PUT', '/upload/:upload', chunkOperation, receiveVideo),
  route('POST', '/v2/post/publish/content/init', 'publish', initPhotos),
  route('POST', '/v2/post/publish/status/fetch', 'status', publishStatus),
  route('POST', '/v2/video/query', 'metrics', queryVideos),
  route('POST', '/v2/video/list', 'posts', queryVideos),
  route('GET', '/v2/user/info', 'profile', userInfo),
  route('POST', `${business}/tt_user/oauth2/token`, 'token', businessToken),
  route('POST', `${business}/tt_user/oauth2/refresh_token`, 'token', businessRefresh),
  route('POST', `${business}/tt_user/oauth2/revoke`, 'token', businessRevoke),
  route('POST', `${business}/tt_user/token_info/get`, 'token', businessTokenInfo),
  route('GET', `${business}/business/get`, 'profile', account),
  route('GET', `${business}/business/video/settings`, 'profile', videoSettings),
  route('POST', `${business}/business/video/publish`, 'publish', publishVideo),
  route('POST', `${business}/business/photo/publish`, 'publish', publishPhotos),
  route('GET', `${business}/business/publish/status`, 'status', businessStatus),
  route('GET', `${business}/business/video/list`, 'metrics', listVideos),
  route('GET', `${business}/business/comment/list`, 'inbox', listComments),
  route('GET', `${business}/business/comment/reply/list`, 'inbox', listReplies),
  route('POST', `${business}/business/comment/image/upload`, 'upload', uploadCommentImage),
  route('POST', `${business}/business/comment/create`, 'comment', createComment),
  route('POST', `${business}/business/comment/reply/create`, 'reply', createReply),
  route('POST', `${business}/business/comment/like`, 'like', likeComment),
  route('POST', `${business}/business/comment/hide`, 'moderate', hideComment),
  route('POST', `${business}/business/comment/delete`, 'delete', deleteComment),
  route('POST', `${business}/business/message/send`, 'message', sendMessage),
  route('GET', `${business}/business/message/conversation/list`, 'inbox', listConversations),
  route('GET', `${business}/business/message/content/list`, 'inbox', listMessages),
  route('POST', `${business}/business/property/add`, 'subscribe', addUrlProperty),
  route('POST', `${business}/business/property/verify`, 'subscribe', verifyUrlProperty),
  route('POST', `${business}/business/property/delete`, 'subscribe', deleteUrlProperty),
  route('GET', `${business}/business/property/list`, 'subscribe', listUrlProperties),
  route('POST', `${business}/business/webhook/update`, 'subscribe', updateWebhook),
  route('GET', `${business}/business/webhook/list`, 'subscribe', listWebhook),
  route('POST', `${business}/business/webhook/delete`, 'subscribe', deleteWebhook),
]

export const tiktok: NetworkApi = {
  network: 'TikTok',
  routes,
  faultResponses: tiktokFaultResponses,
  guard,
  profileOf,
}
