import type { ApiRequest } from '../http/request.ts'
import { type NetworkApi, type Route, route } from '../http/router.ts'
import { authorize, exchange, guard, profileOf, revoke, tokenInfo, youtubeFaultResponses } from './access.ts'
import { createReply, createThread, deleteComment, listReplies, listThreads, moderate } from './comments.ts'
import { subscribe, topicFeed } from './push.ts'
import { openSession, receiveBytes } from './uploads.ts'
import { batchStats, deleteVideo, listChannels, listUploads, listVideos, rate, report, setThumbnail } from './videos.ts'

/** The last bytes publish; an empty request reads the upload status. */
const uploadOperation = (request: ApiRequest) => {
  if (!request.raw.length) return 'status'
  const [, last, total] = /-(\d+)\/(\d+)$/.exec(request.headers['content-range'] ?? '') ?? []
  return last === undefined || Number(last) + 1 === Number(total) ? 'publish' : 'upload'
}

const routes: Route[] = [
  route('GET', '/o/oauth2/v2/auth', 'authorize', authorize),
  route('POST', '/token', 'token', exchange),
  route('POST', '/tokeninfo', 'token', tokenInfo),
  route('POST', '/revoke', 'token', revoke),
  route('POST', '/upload/v3/videos', 'upload', openSession),
  route('PUT', '/upload/v3/videos', uploadOperation, receiveBytes),
  route('POST', '/upload/v3/thumbnails/set', 'upload', setThumbnail),
  route(
    'GET',
    '/v3/videos',
    (request) => (String(request.fields.part).includes('status') ? 'status' : 'metrics'),
    listVideos,
  ),
  route('GET', '/v3/videos:batchGetStats', 'metrics', batchStats),
  route('DELETE', '/v3/videos', 'delete', deleteVideo),
  route('POST', '/v3/videos/rate', 'like', rate),
  route('GET', '/v3/channels', 'profile', listChannels),
  route('GET', '/v3/playlistItems', 'posts', listUploads),
  route('POST', '/v3/commentThreads', 'comment', createThread),
  route('GET', '/v3/commentThreads', 'inbox', listThreads),
  route('POST', '/v3/comments', 'reply', createReply),
  route('GET', '/v3/comments', 'inbox', listReplies),
  route('DELETE', '/v3/comments', 'delete', deleteComment),
  route('POST', '/v3/comments/setModerationStatus', 'moderate', moderate),
  route('GET', '/v2/reports', 'metrics', report),
  route('POST', '/subscribe', 'subscribe', subscribe),
  route('GET', '/xml/feeds/videos.xml', 'posts', topicFeed),
]

export const youtube: NetworkApi = {
  network: 'YouTube',
  routes,
  faultResponses: youtubeFaultResponses,
  guard,
  profileOf,
  // Google's paths start with the product name; both forms are served.
  rewritePath: (path) => path.replace(/^(\/upload)?\/youtube(?=\/)/, '$1'),
}
