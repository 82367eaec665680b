import { grantFor, ownProfile } from '../graph/access.ts'
import { unknownObject } from '../graph/refusals.ts'
import type { Call } from '../http/call.ts'
import type { Item, Profile } from '../state/rows.ts'

export type Ability = 'basic' | 'content_publish' | 'manage_comments' | 'manage_insights' | 'manage_messages'

/** The two logins name the same abilities differently. */
function scopeOf(call: Call, ability: Ability): string {
  return grantFor(call).network === 'Instagram' ? `instagram_business_${ability}` : `instagram_${ability}`
}

export function account(call: Call, ability: Ability, id = call.params.id ?? ''): Profile {
  return ownProfile(call, 'Instagram', id, scopeOf(call, ability))
}

/** The post or comment a path names, and the account it belongs to. */
export function target(call: Call, ability: Ability): { item: Item; owner: Profile } {
  grantFor(call)
  const id = call.params.id ?? ''
  const item = call.world.items.live('Instagram', id)
  if (!item) unknownObject(id)
  return { item, owner: account(call, ability, item.profile) }
}
