import type { Clock } from '#kernel/clock.ts'
import { windowAt } from '../connector/budget.ts'
import type { Actor, Fault } from '../connector/connector.ts'
import type { NetworkApp, NetworkInstallation } from '../connector/network-app.ts'
import type { Json } from '../http/json.ts'
import {
  type NetworkCall,
  type NetworkHttp,
  type NetworkResponse,
  openNetworkHttp,
  type ResponseClassifier,
} from '../http/network-http.ts'

/** YouTube API client. */
export interface YouTubeClient {
  app: NetworkApp
  installation: NetworkInstallation
  http: NetworkHttp
}

export function openClient(app: NetworkApp, installation: NetworkInstallation): YouTubeClient {
  const http = openNetworkHttp('YouTube', app, installation, openClassifier(installation.clock))
  return { app, installation, http }
}

type Sent = Pick<NetworkCall, 'query' | 'json' | 'headers' | 'irreversible'>

/** Calls a method of the Data API on behalf of the channel. */
export function request(client: YouTubeClient, actor: Actor, name: MethodName, sent: Sent): Promise<NetworkResponse> {
  const { hosts, apiVersion } = client.app
  const { method, path, cost: uses } = methods[name]
  const upload = name === 'videos.insert' ? '/upload' : ''
  const url = `${hosts.api}${upload}/youtube/${apiVersion}/${path}`
  const headers = { ...authorization(actor), ...sent.headers }
  return client.http({ ...sent, method, url, headers, holder: actor.remoteId, uses })
}

/** Items of a response; empty if it isn't a list. */
export async function requestList<Row>(
  client: YouTubeClient,
  actor: Actor,
  name: MethodName,
  query: Sent['query'] = {},
) {
  const { body } = await request(client, actor, name, { query })
  const { items = [], nextPageToken } = (body ?? {}) as { items?: Row[]; nextPageToken?: string }
  return { items, nextPageToken }
}

export const authorization = ({ secret }: Pick<Actor, 'secret'>) => ({ authorization: `Bearer ${secret.accessToken}` })

export const watchUrl = ({ hosts }: NetworkApp, videoId: string, commentId?: string) =>
  `${hosts.public}/watch?v=${videoId}${commentId === undefined ? '' : `&lc=${commentId}`}`

/** A fault, or one whose end depends on the current time. */
export type ErrorMeaning = Fault | 'dayIsSpent' | 'tooManyUploads' | 'slowDown' | 'slowDownActor'

const refresh: Fault = { kind: 'token', remedy: 'refresh' }
const reconnect: Fault = { kind: 'token', remedy: 'reconnect' }
const permission: Fault = { kind: 'permanent', why: 'permission' }
const policy: Fault = { kind: 'permanent', why: 'policy' }
const gone: Fault = { kind: 'permanent', why: 'gone' }
const config: Fault = { kind: 'permanent', why: 'config' }
const retryable: Fault = { kind: 'retryable' }
const input = (field?: string): Fault => ({ kind: 'permanent', why: 'input', ...(field && { field }) })

const table: { readonly [reason: string]: ErrorMeaning } = {
  authError: refresh,
  UNAUTHENTICATED: refresh,
  invalid_token: refresh,
  invalid_grant: reconnect,
  youtubeSignupRequired: reconnect,
  accountClosed: reconnect,
  accountSuspended: reconnect,
  channelClosed: reconnect,
  channelSuspended: reconnect,
  authenticatedUserAccountClosed: reconnect,
  authenticatedUserAccountSuspended: reconnect,

  quotaExceeded: 'dayIsSpent',
  dailyLimitExceeded: 'dayIsSpent',
  rateLimitExceeded: 'slowDown',
  userRateLimitExceeded: 'slowDownActor',
  uploadLimitExceeded: 'tooManyUploads',

  insufficientPermissions: permission,
  forbidden: permission,
  access_denied: permission,

  commentsDisabled: policy,
  ineligibleAccount: policy,
  parentCommentIsPrivate: policy,
  operationNotSupported: policy,
  videoRatingDisabled: policy,
  emailNotVerified: policy,

  invalidTitle: input('title'),
  invalidDescription: input('text'),
  invalidTags: input(),
  invalidPublishAt: input(),
  invalidVideoMetadata: input(),
  invalidFilename: input('media'),
  mediaBodyRequired: input('media'),
  commentTextRequired: input('text'),
  commentTextTooLong: input('text'),
  duplicate: { kind: 'duplicate' },

  videoNotFound: gone,
  commentNotFound: gone,
  parentCommentNotFound: gone,
  channelNotFound: gone,
  playlistNotFound: gone,
  notFound: gone,

  processingFailure: retryable,
  backendError: retryable,
  internalError: retryable,

  accessNotConfigured: config,
  invalid_client: config,
  unauthorized_client: config,
  redirect_uri_mismatch: config,
  invalid_scope: config,
}

/** Faults by YouTube's reasons, Google's statuses and OAuth's errors. */
const reasons: ReadonlyMap<string, ErrorMeaning> = new Map(Object.entries(table))

/** For unknown reasons. */
function meaningOfStatus(status: number): ErrorMeaning {
  if (status >= 500 || status === 408 || status === 425) return retryable
  if (status === 429) return 'slowDown'
  if (status === 401) return refresh
  if (status === 404 || status === 410) return gone
  return status === 403 ? permission : input()
}

/** Daily quotas of a project, each with its own limit. */
type Bucket = 'units' | 'uploads' | 'stats'

interface Method {
  method: NetworkCall['method']
  path: string
  /** Quota that one request uses. */
  cost: { [bucket in Bucket]?: number }
}

/** The methods in use, as named by Google. */
export const methods = {
  'channels.list': { method: 'GET', path: 'channels', cost: { units: 1 } },
  'playlistItems.list': { method: 'GET', path: 'playlistItems', cost: { units: 1 } },
  'videos.list': { method: 'GET', path: 'videos', cost: { units: 1 } },
  'videos.batchGetStats': { method: 'GET', path: 'videos:batchGetStats', cost: { stats: 1 } },
  'videos.insert': { method: 'POST', path: 'videos', cost: { uploads: 1 } },
  'videos.rate': { method: 'POST', path: 'videos/rate', cost: { units: 50 } },
  'videos.delete': { method: 'DELETE', path: 'videos', cost: { units: 50 } },
  'commentThreads.list': { method: 'GET', path: 'commentThreads', cost: { units: 1 } },
  'commentThreads.insert': { method: 'POST', path: 'commentThreads', cost: { units: 50 } },
  'comments.list': { method: 'GET', path: 'comments', cost: { units: 1 } },
  'comments.insert': { method: 'POST', path: 'comments', cost: { units: 50 } },
  'comments.delete': { method: 'DELETE', path: 'comments', cost: { units: 50 } },
} as const satisfies { [name: string]: Method }

export type MethodName = keyof typeof methods

/** The quota a request is charged to, by its URL. */
function bucketOf(url: string): Bucket | undefined {
  const { pathname } = new URL(url)
  if (!pathname.includes('/youtube/v3/')) return undefined
  if (pathname.includes('/upload/')) return 'uploads'
  return pathname.endsWith(':batchGetStats') ? 'stats' : 'units'
}

/** Classifies errors of the Data API and the token endpoint; backs off exponentially while requests come too fast. */
function openClassifier(clock: Clock): ResponseClassifier {
  let slowDowns = 0
  return (response, call) => {
    if (response.status < 400) {
      slowDowns = 0
      return undefined
    }
    const details = errorDetails(response)
    if (!details) return undefined
    const { reason, domain, status = '', message } = details
    const meaning = reasons.get(reason) ?? reasons.get(status) ?? meaningOfStatus(response.status)
    if (meaning === 'slowDown' || meaning === 'slowDownActor') slowDowns += 1
    const remote = { code: reason || undefined, subcode: domain }
    const budget = meaning === 'dayIsSpent' ? bucketOf(call.url) : undefined
    return { fault: faultOf(meaning, clock.now(), slowDowns), message, remote, ...(budget && { budget }) }
  }
}

interface ErrorDetails {
  reason: string
  domain?: string | undefined
  status?: string | undefined
  message: string
}

/** Google's two formats: an object with reasons, and OAuth's error with a description. */
function errorDetails({ body }: NetworkResponse): ErrorDetails | undefined {
  const { error, error_description } = (body ?? {}) as { error?: Json; error_description?: string }
  if (typeof error === 'string') return { reason: error, message: plain(error_description ?? error) }
  if (!error || typeof error !== 'object' || Array.isArray(error)) return undefined
  const { message, status, errors } = error as { message?: string; status?: string; errors?: Json[] }
  const [first] = (errors ?? []) as { reason?: string; domain?: string; message?: string }[]
  const sentence = plain(first?.message || message || 'The request was refused.')
  return { reason: first?.reason ?? status ?? '', domain: first?.domain, status, message: sentence }
}

function faultOf(meaning: ErrorMeaning, now: Date, slowDowns: number): Fault {
  const later = (milliseconds: number) => new Date(now.getTime() + milliseconds)
  switch (meaning) {
    case 'dayIsSpent':
      // Each quota has its own day: uploads continue when the read quota is exhausted.
      return { kind: 'throttled', until: windowAt('pacificDay', now).end, scope: 'endpoint' }
    case 'tooManyUploads':
      return { kind: 'throttled', until: later(24 * 60 * 60_000), scope: 'actor' }
    case 'slowDown':
    case 'slowDownActor': {
      const scope = meaning === 'slowDown' ? 'app' : 'actor'
      return { kind: 'throttled', until: later(Math.min(1000 * 2 ** (slowDowns - 1), longestPause)), scope }
    }
    default:
      return meaning
  }
}

const longestPause = 64_000

/** Messages contain links and code markup. */
const plain = (text: string) =>
  text
    .replace(/<[^<>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()

// Type aliases rather than interfaces, so that they are assignable to Json.

export type Video = {
  id?: string
  snippet?: { title?: string; publishedAt?: string }
  status?: { uploadStatus?: string; failureReason?: string; rejectionReason?: string; privacyStatus?: string }
  statistics?: { viewCount?: string; likeCount?: string; commentCount?: string }
}

export type VideoStat = {
  id?: string
  statistics?: { viewCount?: string; likeCount?: string; commentCount?: string }
}

export type Channel = {
  id?: string
  snippet?: { title?: string; customUrl?: string; thumbnails?: { default?: { url?: string } } }
  contentDetails?: { relatedPlaylists?: { uploads?: string } }
  statistics?: { subscriberCount?: string; hiddenSubscriberCount?: boolean }
}

export type PlaylistItem = {
  snippet?: { title?: string; description?: string; publishedAt?: string; resourceId?: { videoId?: string } }
}

export type Comment = {
  id?: string
  snippet?: {
    videoId?: string
    parentId?: string
    textOriginal?: string
    textDisplay?: string
    authorDisplayName?: string
    authorChannelId?: { value?: string }
    authorProfileImageUrl?: string
    publishedAt?: string
  }
}

export type CommentThread = {
  id?: string
  snippet?: { videoId?: string; topLevelComment?: Comment; totalReplyCount?: number }
  replies?: { comments?: Comment[] }
}

/** An object exactly as received, for storage. */
export const asJson = (object: object) => object as Json
