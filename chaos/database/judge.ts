import { ownerQuery } from '#kernel/database/owner.ts'
import type { Kind, Wish } from './clients.ts'

/** What became of everything that clients wished for. */
export interface WriteTally {
  wishes: number
  answered: number
  /** Answered, and not there. */
  lost: number
  /** There more than once, or answered with ids that differ. */
  doubled: number
  /** Without an answer, and there all the same. */
  written: number
}

const stored: Record<Exclude<Kind, 'post'>, string> = {
  tag: `select id, tag as words from tags where tag like 'pg-%'`,
  campaign: `select id, name as words from campaigns where name like 'pg-%'`,
  message: `select id, substring(message from 'pg-\\d+-\\d+-message') as words from messages where message like '%pg-%'`,
}

/** Compares what clients were answered with what the database has. */
export async function judgeWrites(databaseUrl: string, wishes: readonly Wish[]): Promise<WriteTally> {
  const found = new Map<string, string[]>()
  for (const text of Object.values(stored)) {
    for (const { id, words } of await ownerQuery<{ id: string; words: string }>(databaseUrl, text))
      found.set(words, [...(found.get(words) ?? []), id])
  }
  const posts = new Set((await ownerQuery<{ id: string }>(databaseUrl, 'select id from posts')).map(({ id }) => id))
  const idsOf = ({ kind, words, ids }: Wish) =>
    kind === 'post' ? [...ids].filter((id) => posts.has(id)) : (found.get(words) ?? [])
  const answered = wishes.filter(({ ids }) => ids.size > 0)
  const isThere = (wish: Wish) => [...wish.ids].every((id) => idsOf(wish).includes(id))
  return {
    wishes: wishes.length,
    answered: answered.length,
    lost: answered.filter((wish) => !isThere(wish)).length,
    doubled: wishes.filter((wish) => wish.ids.size > 1 || idsOf(wish).length > 1).length,
    written: wishes.filter((wish) => wish.ids.size === 0 && idsOf(wish).length > 0).length,
  }
}

export interface PostTally {
  posts: number
  /** Answered, and at no network in the end. */
  lost: number
  /** At its network more than once. */
  doubled: number
}

/** Compares the posts that clients were answered with what the networks have; the words are those of the post's message. */
export async function judgePosts(
  databaseUrl: string,
  wishes: readonly Wish[],
  texts: readonly string[],
): Promise<PostTally> {
  const published = new Map<string, number>()
  for (const text of texts) {
    const words = /pg-\d+-\d+-message/.exec(text)?.[0]
    if (words) published.set(words, (published.get(words) ?? 0) + 1)
  }
  const rows = await ownerQuery<{ id: string; words: string }>(
    databaseUrl,
    `select p.id, substring(m.message from 'pg-\\d+-\\d+-message') as words from posts p
     join messages m on m.account_id = p.account_id and m.id = p.message_id where m.message like '%pg-%'`,
  )
  const wordsOf = new Map(rows.map(({ id, words }) => [id, words]))
  const answered = wishes.filter(({ kind, ids }) => kind === 'post' && ids.size > 0)
  return {
    posts: answered.length,
    lost: answered.filter(({ ids }) => [...ids].some((id) => !published.has(wordsOf.get(id) ?? ''))).length,
    doubled: [...published.values()].filter((times) => times > 1).length,
  }
}
