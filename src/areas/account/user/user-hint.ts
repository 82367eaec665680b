import type { Context } from '#kernel/context.ts'

/** Tells those who look at people that somebody is another than before. Not who: an advocate is seen by those of their boards alone. */
export const hintUsers = ({ hint }: Pick<Context, 'hint'>) =>
  hint({ kind: 'user', id: null, parent: null, scope: null })
