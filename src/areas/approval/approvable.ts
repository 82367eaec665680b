import { sql } from 'kysely'
import { withinTeams } from '#areas/account/team/visibility.ts'
import type { Context } from '#kernel/context.ts'
import { type IdKind, isId } from '#kernel/ids.ts'

/** A kind of content that can be submitted for approval. Declared by the area that owns the content and listed in its manifest. */
export interface Approvable {
  readonly idKind: IdKind
  /** For messages to users: "post". */
  readonly noun: string
  /** Describes content by id, independent of the caller; deleted content is omitted. */
  describe(context: Context, ids: readonly string[]): Promise<Map<string, Description>>
  /** The content and its targets, part by part; a change of any part requires a new approval. Empty if it was deleted. */
  wording(context: Context, id: string): Promise<Part[]>
  /** Locks the content until the transaction ends; refuses content the caller may not see or that cannot be changed any more. */
  hold(context: Context, id: string): Promise<Held>
  /** Content that is pending approval without a pending item. Exists only after an error; used by the repair job. */
  findOrphans(context: Context): Promise<Orphan[]>
}

export interface Orphan {
  id: string
  createdBy: string
}

export interface Description {
  /** The campaign or board that determines its visibility. */
  scopeId: string
  /** The id by which clients refer to the content; one of these is set. */
  messageId?: string
  postId?: string
  storyId?: string
  network: string
  text: string
  /** The planned time as text. */
  planned: string
  /** The planned time; undefined if it is not set yet. */
  due?: Date
}

/** One part of content, with a label for users. */
export interface Part {
  name: string
  text: string
}

/** Locked content. The methods are called in the transaction of the approval change. */
export interface Held {
  /** Stops it from being published; refuses if that is impossible or the caller may not change the content. */
  submitted(): Promise<void>
  /** It is published as planned. */
  approved(): Promise<void>
  rejected(): Promise<void>
  /** It becomes a draft again. Content that was rejected stays rejected: submitting it again and withdrawing it must not clear that. */
  withdrawn(before: { wasRejected: boolean }): Promise<void>
}

export type Approvables = readonly Approvable[]

/** The approvable of an id; undefined if no such content can be approved. */
export const approvableOf = (approvables: Approvables, entityId: string) =>
  approvables.find(({ idKind }) => isId(idKind, entityId))

/** Undefined if it was deleted. */
export const describeOne = async (context: Context, approvable: Approvable, id: string) =>
  (await approvable.describe(context, [id])).get(id)

/** The approvable of existing content that the caller may see. */
export async function findSeen(context: Context, approvables: Approvables, entityId: string) {
  const approvable = approvableOf(approvables, entityId)
  const found = approvable && (await describeOne(context, approvable, entityId))
  return found && (await isSeen(context, found.scopeId)) ? approvable : undefined
}

/** The kinds of content that can be approved, as text: "post or message", or "a post or a message" with an article. */
export const kindNames = (approvables: Approvables, article = '') =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(approvables.map(({ noun }) => article + noun))

async function isSeen(context: Context, scopeId: string): Promise<boolean> {
  const { rows } = await sql<{ isSeen: boolean }>`
    select ${withinTeams(context, 'scope.id')} as is_seen from (select ${scopeId}::text as id) scope`.execute(
    context.db,
  )
  return rows[0]?.isSeen ?? false
}
