import type { Clock } from '#kernel/clock.ts'
import { windowAt } from '../connector/budget.ts'
import type { Fault } from '../connector/fault.ts'
import type { Json } from '../wire/json.ts'
import type { Judge, NetworkAnswer, NetworkCall } from '../wire/network-http.ts'

/** A fault, or one whose end depends on the time. */
export type Meaning = Fault | 'dayIsSpent' | 'tooManyUploads' | 'slowDown' | 'slowDownActor'

const refresh: Fault = { kind: 'token', remedy: 'refresh' }
const reconnect: Fault = { kind: 'token', remedy: 'reconnect' }
const permission: Fault = { kind: 'permanent', why: 'permission' }
const policy: Fault = { kind: 'permanent', why: 'policy' }
const gone: Fault = { kind: 'permanent', why: 'gone' }
const config: Fault = { kind: 'permanent', why: 'config' }
const retryable: Fault = { kind: 'retryable' }
const input = (field?: string): Fault => ({ kind: 'permanent', why: 'input', ...(field && { field }) })

const table: { readonly [reason: string]: Meaning } = {
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

/** What YouTube's reasons, Google's states and OAuth's errors mean. */
const reasons: ReadonlyMap<string, Meaning> = new Map(Object.entries(table))

/** For reasons that nobody has heard of yet. */
function meaningOfStatus(status: number): Meaning {
  if (status >= 500 || status === 408 || status === 425) return retryable
  if (status === 429) return 'slowDown'
  if (status === 401) return refresh
  if (status === 404 || status === 410) return gone
  return status === 403 ? permission : input()
}

/** The buckets of a project's day, each with a limit of its own. */
type Bucket = 'units' | 'uploads' | 'stats'

interface Method {
  method: NetworkCall['method']
  path: string
  /** What one call takes of a bucket. */
  cost: { [bucket in Bucket]?: number }
}

/** The methods that are used, by the names Google gives them. */
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

/** The bucket that a call is charged to, by its address. */
function bucketOf(url: string): Bucket | undefined {
  const { pathname } = new URL(url)
  if (!pathname.includes('/youtube/v3/')) return undefined
  if (pathname.includes('/upload/')) return 'uploads'
  return pathname.endsWith(':batchGetStats') ? 'stats' : 'units'
}

/** Reads refusals of the Data API and of the token endpoint; remembers how often it was told to slow down. */
export function openJudge(clock: Clock): Judge {
  let slowDowns = 0
  return (answer, call) => {
    if (answer.status < 400) {
      slowDowns = 0
      return undefined
    }
    const said = wordsOf(answer)
    if (!said) return undefined
    const { reason, domain, status = '', message } = said
    const meaning = reasons.get(reason) ?? reasons.get(status) ?? meaningOfStatus(answer.status)
    if (meaning === 'slowDown' || meaning === 'slowDownActor') slowDowns += 1
    const remote = { code: reason || undefined, subcode: domain }
    const budget = meaning === 'dayIsSpent' ? bucketOf(call.url) : undefined
    return { fault: faultOf(meaning, clock.now(), slowDowns), message, remote, ...(budget && { budget }) }
  }
}

interface Said {
  reason: string
  domain?: string | undefined
  status?: string | undefined
  message: string
}

/** Google's two forms: an object with reasons, and OAuth's error with a description. */
function wordsOf({ body }: NetworkAnswer): Said | undefined {
  const { error, error_description } = (body ?? {}) as { error?: Json; error_description?: string }
  if (typeof error === 'string') return { reason: error, message: plain(error_description ?? error) }
  if (!error || typeof error !== 'object' || Array.isArray(error)) return undefined
  const { message, status, errors } = error as { message?: string; status?: string; errors?: Json[] }
  const [first] = (errors ?? []) as { reason?: string; domain?: string; message?: string }[]
  const words = plain(first?.message || message || 'The request was refused.')
  return { reason: first?.reason ?? status ?? '', domain: first?.domain, status, message: words }
}

function faultOf(meaning: Meaning, now: Date, slowDowns: number): Fault {
  const later = (milliseconds: number) => new Date(now.getTime() + milliseconds)
  switch (meaning) {
    case 'dayIsSpent':
      // Each bucket has its own day: uploads go on when nothing is left to read with.
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

/** Messages come with links and code marks in them. */
const plain = (text: string) =>
  text
    .replace(/<[^<>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim()
