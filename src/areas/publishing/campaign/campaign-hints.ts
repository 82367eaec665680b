import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import type { Watched } from '#kernel/hints/hints.ts'
import { isId } from '#kernel/ids.ts'

/** Those who see a campaign hear that it changed. */
export function hintCampaigns({ hint }: Pick<Context, 'hint'>, ids: readonly string[]) {
  for (const id of ids) hint({ kind: 'campaign', id, parent: null, scope: id })
}

export const watchedCampaigns: Watched = {
  kind: 'campaign',
  isId: (id) => isId('campaign', id),
  async find(context, id) {
    const campaign = await context.db
      .selectFrom('campaigns')
      .select('id')
      .where('accountId', '=', context.accountId)
      .where('id', '=', id)
      .where('deleted', 'is', null)
      .where(withinTeams(context, 'campaigns.id'))
      .executeTakeFirst()
    return campaign && { parent: null, scope: id }
  },
}
