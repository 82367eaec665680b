import type { Fault } from '../connector/fault.ts'

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
export const reasons: ReadonlyMap<string, Meaning> = new Map(Object.entries(table))

/** For reasons that nobody has heard of yet. */
export function meaningOfStatus(status: number): Meaning {
  if (status >= 500 || status === 408 || status === 425) return retryable
  if (status === 429) return 'slowDown'
  if (status === 401) return refresh
  if (status === 404 || status === 410) return gone
  return status === 403 ? permission : input()
}
