import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type IdKind, isId } from '#kernel/ids.ts'

/** A kind of content that can wait for approval. The area that owns the content declares it, `main/approvables.ts` lists it. */
export interface Approvable {
  readonly idKind: IdKind
  /** What people call one: "post". */
  readonly noun: string
  /** Tells of several, whoever asks, by their ids; nothing of those that are gone. */
  describe(context: Context, ids: readonly string[]): Promise<Map<string, Description>>
  /** What one says and where it goes, part by part: what has to be approved anew where it changes. None when it is gone. */
  wording(context: Context, id: string): Promise<Part[]>
  /** Holds one until the change is made; refuses what the caller may not see or nobody can change any more. */
  hold(context: Context, id: string): Promise<Held>
  /** Content that is pending approval although no item waits for a decision. There is none unless something went wrong; for the repair job. */
  findOrphans(context: Context): Promise<Orphan[]>
}

export interface Orphan {
  id: string
  createdBy: string
}

export interface Description {
  /** The campaign or board whose teams see it. */
  scopeId: string
  /** By which of these ids clients know it. */
  messageId?: string
  postId?: string
  storyId?: string
  network: string
  /** What it says. */
  text: string
  /** When it is meant to go out, in words. */
  planned: string
  /** The same as a moment; nothing where that is not settled yet. */
  due?: Date
}

/** One part of content, as people name it. */
export interface Part {
  name: string
  text: string
}

/** One that is held is told what happens to it, in the transaction in which it happens. */
export interface Held {
  /** Nothing of it goes out from now on; refuses where that cannot be, or where the caller may not change the content. */
  submitted(): Promise<void>
  /** It goes out as it was planned. */
  approved(): Promise<void>
  rejected(): Promise<void>
  /** It is a draft again. Nobody makes good what was rejected before by sending it to approval once more and taking it out. */
  withdrawn(before: { wasRejected: boolean }): Promise<void>
}

export type Approvables = readonly Approvable[]

/** How content with such an id is treated; nothing when no such content can be approved. */
export const approvableOf = (approvables: Approvables, entityId: string) =>
  approvables.find(({ idKind }) => isId(idKind, entityId))

/** Nothing when it is gone. */
export const describeOne = async (context: Context, approvable: Approvable, id: string) =>
  (await approvable.describe(context, [id])).get(id)

/** How such content is treated where the content is there and the caller may see it. */
export async function findSeen(context: Context, approvables: Approvables, entityId: string) {
  const approvable = approvableOf(approvables, entityId)
  const found = approvable && (await describeOne(context, approvable, entityId))
  return found && (await isSeen(context, found.scopeId)) ? approvable : undefined
}

/** What can be approved, in words: "post or message", or "a post or a message" with an article. */
export const wordsFor = (approvables: Approvables, article = '') =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(approvables.map(({ noun }) => article + noun))

async function isSeen(context: Context, scopeId: string): Promise<boolean> {
  const { rows } = await sql<{ isSeen: boolean }>`
    select ${withinTeams(context, 'scope.id')} as is_seen from (select ${scopeId}::text as id) scope`.execute(
    context.db,
  )
  return rows[0]?.isSeen ?? false
}
