import type { Actor } from '../connector/actor.ts'
import { isVideo, type MediaRef } from '../connector/draft.ts'
import { badInput, NetworkError } from '../connector/fault.ts'
import type { TikTokCalls } from './calls.ts'
import { numberIn } from './row.ts'

/** What the owner of an account allows for posts; nothing is known where TikTok does not tell this app. */
export interface PostSettings {
  /** Who can see a post, the largest audience first. */
  privacyLevels: string[]
  commentsOff: boolean
  duetsOff: boolean
  stitchesOff: boolean
  maxSeconds?: number | undefined
}

export async function fetchPostSettings(calls: TikTokCalls, actor: Actor): Promise<PostSettings> {
  try {
    const data = await calls.get(actor, 'business/video/settings', {})
    const options = Array.isArray(data.privacy_level_options) ? data.privacy_level_options.map(String) : []
    return {
      privacyLevels: audiences.filter((level) => options.includes(level)),
      commentsOff: data.comment_disabled === true,
      duetsOff: data.duet_disabled === true,
      stitchesOff: data.stitch_disabled === true,
      maxSeconds: numberIn(data, 'max_video_post_duration_sec'),
    }
  } catch (error) {
    // The post itself shows whether it can be published.
    if (!(error instanceof NetworkError) || error.fault.kind !== 'permanent') throw error
    return { privacyLevels: [], commentsOff: false, duetsOff: false, stitchesOff: false }
  }
}

/** The largest audience that the account allows. */
export const privacyOf = ({ privacyLevels: [widest = everybody] }: PostSettings) => widest

/** TikTok names public posts only. */
export const isPublic = (settings: PostSettings) => privacyOf(settings) === everybody

/** Some accounts may publish shorter videos than others. */
export function refuseLongVideo({ maxSeconds }: PostSettings, media: readonly MediaRef[]) {
  const longest = Math.max(0, ...media.filter(isVideo).map(({ durationMs = 0 }) => durationMs / 1000))
  if (!maxSeconds || longest <= maxSeconds) return
  const sentence = `The video lasts ${Math.ceil(longest)} s; on TikTok this account may publish videos of up to ${maxSeconds} s.`
  throw badInput('TikTok', sentence, 'media')
}

const everybody = 'PUBLIC_TO_EVERYONE'
const audiences = [everybody, 'FOLLOWER_OF_CREATOR', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY']
