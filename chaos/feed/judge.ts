import { ownerQuery } from '#kernel/database/owner.ts'
import type { FeedListener } from './listener.ts'
import type { FeedAccount, FeedUser } from './world.ts'

/** Something that was made while all listened, and who may see it. */
export interface Made {
  account: string
  id: string
  isSeenBy(user: FeedUser): boolean
}

/** What there is now, whoever was answered: the database says what was made, the harness who may see it. */
export async function everythingMade(databaseUrl: string, world: readonly FeedAccount[]): Promise<Made[]> {
  const campaigns = new Map(world.flatMap((account) => account.campaigns.map((campaign) => [campaign.id, campaign])))
  const posts = await ownerQuery<{ account: string; id: string; campaign: string }>(
    databaseUrl,
    'select account_id as account, id, campaign_id as campaign from posts',
  )
  const uploads = await ownerQuery<{ account: string; id: string; by: string }>(
    databaseUrl,
    'select account_id as account, id, created_by as by from uploads',
  )
  return [
    ...posts.map(({ account, id, campaign }) => {
      const teams = campaigns.get(campaign)?.teams ?? []
      const isSeenBy = (user: FeedUser) =>
        user.role === 'admin' || teams.length === 0 || teams.some((team) => user.teams.includes(team))
      return { account, id, isSeenBy }
    }),
    ...uploads.map(({ account, id, by }) => ({ account, id, isSeenBy: (user: FeedUser) => user.id === by })),
  ]
}

export interface FeedTally {
  feeds: number
  made: number
  /** Of all feeds together: what they were to hear, what of it they did not, and what they heard and may not. */
  toHear: number
  missed: number
  leaked: number
  /** Heard more than once. */
  repeated: number
  resets: number
  many: number
  /** Connections that broke and were resumed. */
  returns: number
}

export function judge(listeners: readonly FeedListener[], made: readonly Made[]): FeedTally {
  const byAccount = new Map<string, Made[]>()
  for (const one of made) {
    const group = byAccount.get(one.account)
    if (group) group.push(one)
    else byAccount.set(one.account, [one])
  }
  let [toHear, missed, leaked, repeated] = [0, 0, 0, 0]
  for (const { account, user, heard } of listeners) {
    const due = new Set((byAccount.get(account.id) ?? []).filter((one) => one.isSeenBy(user)).map(({ id }) => id))
    toHear += due.size
    missed += [...due].filter((id) => !heard.has(id)).length
    leaked += [...heard.keys()].filter((id) => !due.has(id)).length
    repeated += [...heard.values()].filter((times) => times > 1).length
  }
  const sum = (read: (tally: FeedListener['tally']) => number) =>
    listeners.reduce((total, { tally }) => total + read(tally), 0)
  return {
    feeds: listeners.length,
    made: made.length,
    toHear,
    missed,
    leaked,
    repeated,
    resets: sum(({ resets }) => resets),
    many: sum(({ many }) => many),
    returns: sum(({ returns }) => returns),
  }
}
