import type { Caller, CallResult } from '../support/caller.ts'
import type { TestService } from '../support/service.ts'
import type { Causes } from './event-scene.ts'
import type { Example, ExampleMaker } from './examples.ts'

/**
 * What an area contributes to the tests of every endpoint, event type and list: exported as `contract` from
 * `src/areas/<area>/<area>.contract.fixture.ts`, or from several files with that suffix. `collected-contracts.ts` finds them.
 */
export interface AreaContract {
  /** A request for every endpoint, by method and path; paths outside of `/v2` with their base. */
  readonly examples?: { readonly [route: string]: ExampleMaker }
  /** Audit entries that name their entity in another way than by path, parameter or response. */
  readonly audit?: { readonly [route: string]: AuditException }
  /** How an entity of each kind is created, in an account. */
  readonly entities?: { readonly [kind: string]: (place: Place) => Promise<string> | string }
  /** Kinds of entities whose visibility depends on teams; all others are visible to the whole account. */
  readonly scopedKinds?: readonly string[]
  /** Scoped kinds that teams are assigned to. */
  readonly scopes?: readonly string[]
  /** Visible entities of the demo workspace that are used instead of new ones, by kind. */
  readonly known?: Entities
  /** Well-formed ids that do not exist, by kind, where they do not start with the prefix of the kind. */
  readonly absent?: Entities
  /** Creates visible entities that refer to invisible ones: the only way to find something invisible. */
  readonly bridge?: (service: TestService, seen: Entities, invisible: Entities) => Promise<void>
  /** `<method> <path> <parameter>` of references whose visible entity changes nothing in the response, with the reason. */
  readonly ineffective?: { readonly [reference: string]: string }
  /** Reads that are not open to every role. */
  readonly restrictedReads?: readonly string[]
  /** How each event type is caused. */
  readonly causes?: { readonly [event: string]: Causes }
  readonly listPlans?: ListPlans
  /** Tables whose changes browsers are notified of. */
  readonly notified?: readonly NotifiedTable[]
}

/** Ids by kind. */
export type Entities = { readonly [kind: string]: string }

/** An account in which entities are created. */
export interface Place {
  readonly service: TestService
  readonly account: string
  /** Distinguishes these entities from those of other accounts. */
  readonly name: string
  /** The account's admin. */
  readonly as: Caller
  /** The entity of another kind, created at the first call. */
  entity(kind: string): Promise<string>
  /** Creates an entity and returns its id. */
  made(route: string, body: object, name: string): Promise<string>
  /** A statement of the schema's owner. */
  query<Row extends object>(text: string, values: unknown[]): Promise<Row[]>
}

/** Within the date range of the calendar examples. */
export const startDateTime = 1_900_000_000

export interface AuditException {
  /** The id in the audit log. */
  readonly entity?: string | ((given: Performed) => Promise<string> | string)
  /** Set if the operation signs a user in: the method that the audit log names. */
  readonly signsInBy?: 'password' | 'link'
  /** Set if the operation has no audit entry, with the reason. */
  readonly unlisted?: string
  /** Set if no parameter is required. */
  readonly requiresNothing?: true
}

interface Performed {
  readonly example: Example
  readonly answer: CallResult
  readonly databaseUrl: string
}

/** Checks that lists of the area are read from indexes. */
export interface ListPlans {
  /**
   * Inserts rows for every account; statements of the query builder that name these tables are examined. `each` supplies `account_id` and a
   * number `n`.
   */
  readonly rows: (given: { each: string; rowsPerAccount: number }) => readonly string[]
  /** Query strings by path, or by method and path: all filters and orders. `orders` makes a parameter for each field. */
  readonly lists?: (orders: (...fields: string[]) => string[]) => { readonly [path: string]: readonly string[] }
  /** Parts of further statements that are examined. */
  readonly examined?: readonly string[]
  /** Routes of paged lists that are not examined. */
  readonly unexamined?: readonly string[]
  /**
   * Parts of statements that may be sorted: an account has at most a few hundred such rows, or an index on a frequently updated column would
   * cost more than sorting.
   */
  readonly sorted?: readonly string[]
}

export interface NotifiedTable {
  readonly kind: string
  readonly table: string
  /** Columns that no response contains. */
  readonly unseen: readonly string[]
  /** Column of the entity's id; `id` by default. */
  readonly id?: string
}
