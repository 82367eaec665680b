import type { Context } from '#kernel/context.ts'
import type { Watched } from '#kernel/hints/hints.ts'

/** To be called where something that people see of a profile has changed; a new token is nothing of that. */
export const hintProfile = ({ hint }: Context, id: string) => hint({ kind: 'profile', id, parent: null, scope: null })

export const watchedProfiles: Watched = {
  kind: 'profile',
  isId: (id) => id.startsWith('003-'),
  async find({ db, accountId }, id) {
    const profile = await db
      .selectFrom('credentials')
      .select('id')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where('deleted', 'is', null)
      .executeTakeFirst()
    return profile && { parent: null, scope: null }
  },
}
