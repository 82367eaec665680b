import { graphId, secret, snowflake } from './ids.ts'
import type { Item, Network, Person, Profile } from './rows.ts'

interface Names {
  comment(post: Item, parent: Item): string
  mention(from: Person): string
  message(): string
  thread(profile: Profile, person: Person): string
  like(from: Person, target: Item): string
}

const digits: Names = {
  comment: snowflake,
  mention: snowflake,
  message: snowflake,
  thread: snowflake,
  like: () => `like-${snowflake()}`,
}

/** How each network spells the ids of what is said on it. */
export const names: Record<Network, Names> = {
  Facebook: {
    comment: (post) => `${post.id.split('_').at(-1)}_${graphId()}`,
    mention: (from) => `${from.id}_${graphId()}`,
    message: () => secret('m_'),
    thread: () => `t_${graphId()}`,
    like: () => `like_${graphId()}`,
  },
  Instagram: {
    comment: graphId,
    mention: graphId,
    message: () => secret('aWdf'),
    thread: () => secret('aWdfZAG06'),
    like: () => `like_${graphId()}`,
  },
  LinkedIn: {
    comment: (post) => `urn:li:comment:(${post.alias ?? post.id},${snowflake()})`,
    mention: () => `urn:li:share:${snowflake()}`,
    message: () => `urn:li:message:${snowflake()}`,
    thread: () => `urn:li:conversation:${snowflake()}`,
    like: (from, target) => `urn:li:reaction:(urn:li:person:${from.id},${target.alias ?? target.id})`,
  },
  Twitter: {
    ...digits,
    // Both sides' ids, the smaller first.
    thread: (profile, person) =>
      [profile.id, person.id].sort((left, right) => left.length - right.length || left.localeCompare(right)).join('-'),
  },
  YouTube: {
    ...digits,
    comment: (post, parent) =>
      parent === post ? secret('Ug').slice(0, 26) : `${parent.id}.${secret('').slice(0, 22)}`,
  },
  TikTok: digits,
}
