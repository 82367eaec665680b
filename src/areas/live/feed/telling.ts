import type { Sees } from '#areas/account/team/visibility.ts'
import type { Hint } from '#kernel/hints/hint.ts'
import type { Identity } from '#kernel/identities.ts'
import { isId } from '#kernel/ids.ts'
import type { Entry } from './entry.ts'
import { event } from './feed.ts'

type Scope = string | null

/** Whether a user may hear of something: everybody may, only that user, or who sees the campaign or board. */
export function mayHear({ userId, role }: Identity, scope: Scope, sees: Sees): boolean {
  if (scope === null) return true
  if (isId('user', scope)) return scope === userId
  return role === 'admin' || sees(userId, scope)
}

/** The scopes about which teams have to be asked. */
export const scopesIn = (scopes: Iterable<Scope>): string[] =>
  [...new Set([...scopes].filter((scope) => scope !== null && !isId('user', scope)))] as string[]

/** More than that are told as many of their kind. */
const mostAtOnce = 200

/** What a user is told of entries that follow each other; no text at all where nobody can tell what changed. */
export function eventsFor(identity: Identity, entries: readonly Entry[], sees: Sees): string | undefined {
  const told: { entry: Entry; hint: Hint }[] = []
  for (const entry of entries) {
    if (!entry.hints) return undefined
    for (const hint of entry.hints) if (mayHear(identity, hint.scope, sees)) told.push({ entry, hint })
  }
  const last = entries.at(-1)
  if (told.length > mostAtOnce) {
    const kinds = [...new Set(told.map(({ hint }) => hint.kind))]
    const many = kinds.map((kind) => ({ kind, id: null, parent: null, by: null }))
    return many.map((data, index) => event('hint', data, index === many.length - 1 ? last : undefined)).join('')
  }
  // The last event of an entry alone has its id: a browser that heard half of one is told all of it again.
  return told
    .map(({ entry, hint: { kind, id, parent } }, index) => {
      const isLast = told[index + 1]?.entry !== entry
      return event('hint', { kind, id, parent, by: entry.by || null }, isLast ? entry : undefined)
    })
    .join('')
}
