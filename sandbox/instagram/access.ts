import { grantFor, ownProfile } from '../graph/access.ts'
import { refuse, unknownObject } from '../graph/refusals.ts'
import type { Call } from '../http/call.ts'
import type { Item, Profile } from '../state/rows.ts'

export type Ability = 'basic' | 'content_publish' | 'manage_comments' | 'manage_insights' | 'manage_messages'

/** The two logins name the same abilities differently. */
function scopeOf(call: Call, ability: Ability): string {
  return grantFor(call).network === 'Instagram' ? `instagram_business_${ability}` : `instagram_${ability}`
}

export function account(call: Call, ability: Ability, id = call.params.id ?? ''): Profile {
  const profile = ownProfile(call, 'Instagram', id, scopeOf(call, ability))
  if (ability === 'content_publish' && grantFor(call).network === 'Facebook') requirePublishing(call, profile)
  return profile
}

/** Whoever publishes through the page behind an account needs a task on that page (ig-user/media_publish, read November 2026). */
function requirePublishing({ world }: Call, { page }: Profile) {
  const tasks = world.profile('Facebook', page ?? '')?.tasks
  if (!tasks || tasks.includes('MANAGE') || tasks.includes('CREATE_CONTENT')) return
  refuse({ code: 200, message: '(#200) This needs the task CREATE_CONTENT on the page.', type: 'OAuthException' })
}

/** The post or comment a path names, and the account it belongs to. */
export function target(call: Call, ability: Ability): { item: Item; owner: Profile } {
  grantFor(call)
  const id = call.params.id ?? ''
  const item = call.world.items.live('Instagram', id)
  if (!item) unknownObject(id)
  return { item, owner: account(call, ability, item.profile) }
}
