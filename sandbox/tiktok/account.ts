import { followersOf } from '../behaviour/growth.ts'
import type { Answer, Call } from '../http/call.ts'
import { listOf, textOf } from '../http/fields.ts'
import type { Profile } from '../state/rows.ts'
import { business, requireScope } from './access.ts'
import { businessAnswer, refuseBusiness } from './refusals.ts'

/** Which permission each field of an account needs. */
const fieldScopes: Record<string, string> = {
  display_name: 'user.info.basic',
  profile_image: 'user.info.basic',
  username: 'user.info.username',
  is_business_account: 'user.account.type',
  followers_count: 'user.info.stats',
  following_count: 'user.info.stats',
  total_likes: 'user.info.stats',
  videos_count: 'user.info.stats',
  bio_description: 'user.info.profile',
  is_verified: 'user.info.profile',
}

/** GET /business/get/: the fields that are asked for, all or none. */
export function account(call: Call): Answer {
  const owner = business(call, 'user.info.basic')
  const asked = textOf(call, 'fields') === undefined ? ['display_name', 'profile_image'] : listOf(call, 'fields')
  const known: Record<string, () => unknown> = {
    display_name: () => owner.name,
    profile_image: () => `${call.origin}/tiktok/profiles/${owner.id}/picture`,
    username: () => owner.username,
    is_business_account: () => true,
    followers_count: () => followersOf(call.world, owner),
    following_count: () => 0,
    total_likes: () => 0,
    videos_count: () => call.world.items.ofProfile('TikTok', owner.id, 'post').length,
    bio_description: () => '',
    is_verified: () => false,
  }
  const told = asked.map(String).map((field): [string, unknown] => {
    const value = known[field]
    if (!value) return refuseBusiness(40002, `fields: ${field} is not supported.`)
    requireScope(call, fieldScopes[field] ?? '')
    return [field, value()]
  })
  return businessAnswer(Object.fromEntries(told))
}

/** GET /business/video/settings/: what the owner allows for posts. */
export function videoSettings(call: Call): Answer {
  return businessAnswer(settingsOf(business(call, 'video.publish')))
}

/** `private` in a profile's tier makes the account private, `no-comments` lets nobody comment. */
export function settingsOf({ tier }: Profile) {
  const isPrivate = tier.includes('private')
  return {
    privacy_level_options: [
      isPrivate ? 'FOLLOWER_OF_CREATOR' : 'PUBLIC_TO_EVERYONE',
      'MUTUAL_FOLLOW_FRIENDS',
      'SELF_ONLY',
    ],
    comment_disabled: tier.includes('no-comments'),
    duet_disabled: isPrivate,
    stitch_disabled: isPrivate,
    max_video_post_duration_sec: 600,
  }
}
