import type { PresenceKind } from '#kernel/changes/change-feed.ts'
import type { ChangeKind } from '#kernel/changes/change-notification.ts'
import type { Clock } from '#kernel/clock.ts'
import type { Context } from '#kernel/context.ts'
import type { Db } from '#kernel/database/database.ts'
import type { DB } from '#kernel/database/tables.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import type { Metrics } from '#kernel/http/metrics.ts'
import type { Tag } from '#kernel/http/openapi.ts'
import type { Download, DownloadRoute } from '#kernel/http/route/download-route.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import type { FileRoute } from '#kernel/http/route/file-route.ts'
import type { Intake, IntakeRoute } from '#kernel/http/route/intake-route.ts'
import type { Page } from '#kernel/http/route/page.ts'
import type { PushRoute } from '#kernel/http/route/push-route.ts'
import type { Stream } from '#kernel/http/route/stream-route.ts'
import type { IdKind } from '#kernel/ids.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Job } from '#kernel/jobs/job.ts'
import type { RecurringJob } from '#kernel/jobs/queue.ts'
import type { Log } from '#kernel/log.ts'
import type { Mailer } from '#kernel/mail/mail.ts'
import type { PersonalDataLocation } from '#kernel/personal-data.ts'
import type { Pictures } from '#kernel/pictures.ts'
import type { Quota } from '#kernel/quotas/quotas.ts'
import type { EncryptedColumn } from '#kernel/secrets/reencrypt.ts'
import type { Generator } from './advocacy/story/generator.ts'
import type { Approvable } from './approval/approvable.ts'
import type { Recount } from './counters/counter.ts'
import type { DescribedEventType } from './events/event-type.ts'
import type { Reaction } from './events/reaction.ts'
import type { ProfileInstallation } from './profiles/access/profile-row.ts'
import type { Budgets } from './profiles/budget/budgets.ts'
import type { Sendable } from './sending/sendable.ts'

/**
 * Everything an area adds to the service. Each area exports one manifest from `areas/<area>/area.ts`, made by `defineArea`, and
 * `main/areas.ts` lists them. `main/registry.ts` combines the manifests.
 */
export interface Area {
  /** The name of the folder. */
  readonly name: string
  /** Areas that this one may import, by name. */
  readonly dependsOn?: readonly string[]
  readonly ids?: { readonly [name: string]: IdKind }
  readonly quotas?: { readonly [name: string]: Quota }
  /** Kinds of things whose changes browsers are notified of. */
  readonly changes?: { readonly [name: string]: ChangeKind }
  /** Event types that webhooks can subscribe to. */
  readonly events?: readonly DescribedEventType[]
  /** Tables that only this area writes. */
  readonly tables?: readonly (keyof DB)[]
  /**
   * Tables whose rows this area locks, and named locks. Each names the lock right before it in the lock order; null for the first one.
   * A transaction that holds a lock never waits for one earlier in that order, so transactions can't deadlock.
   */
  readonly locks?: { readonly [lock: string]: string | null }
  /** Groups of operations in the API reference. */
  readonly tags?: readonly Tag[]
  /** Operations of the contract, under `/v2`. */
  readonly endpoints?: Endpoints
  /** Further operations for the console, under `/app/api`. */
  readonly appEndpoints?: Endpoints
  /** Requests of the console that are answered with a file instead of JSON. */
  readonly downloads?: readonly { description: Download; route: (services: DownloadServices) => DownloadRoute }[]
  /** Requests of the console that carry raw bytes. */
  readonly intakes?: readonly { description: Intake; route: (installation: Installation) => IntakeRoute }[]
  /** Server-sent events for the console. */
  readonly streams?: readonly Stream[]
  /** Pages and forms outside of the API, such as sign-in and unsubscribe. */
  readonly pages?: (services: PageServices) => readonly Page[]
  /** Public files behind signed URLs. */
  readonly fileRoutes?: (services: RouteServices) => readonly FileRoute[]
  /** Webhooks that networks call. */
  readonly pushRoutes?: (services: RouteServices) => readonly PushRoute[]
  readonly jobs?: (services: JobServices) => readonly Job<never>[]
  readonly recurringJobs?: readonly RecurringJob[]
  /** Reactions to events of other areas. */
  readonly reactions?: ByRegistry<readonly Reaction[]>
  /** Kinds of content that can be approved. */
  readonly approvables?: readonly Approvable[]
  /** Kinds of content that are sent to networks exactly once. */
  readonly sendables?: (installation: ProfileInstallation) => readonly Sendable[]
  /** Rebuilding counters from the rows they were counted from. */
  readonly recounts?: readonly Recount[]
  /** Kinds of things whose current viewers are shown to each other. */
  readonly presence?: readonly PresenceKind[]
  /** Where personal data of people outside the account is stored. */
  readonly personalData?: readonly PersonalDataLocation[]
  /** Columns encrypted with the keyring; a column missing here is unreadable once an old key is removed. */
  readonly encryptedColumns?: readonly EncryptedColumn[]
  readonly metrics?: (metrics: Metrics, db: Db, clock: Clock) => void
  readonly demo?: Demo
}

type Endpoints = ByRegistry<readonly Endpoint[]>

/** Declares an area. The types of its endpoints and of its changes are kept, because the console is typed by them. */
export const defineArea = <
  const Own extends Endpoints = readonly [],
  const App extends Endpoints = readonly [],
  const Changes extends NonNullable<Area['changes']> = Record<never, never>,
>(
  manifest: Area & { readonly endpoints?: Own; readonly appEndpoints?: App; readonly changes?: Changes },
): TypedArea<Own, App, Changes> => manifest as unknown as TypedArea<Own, App, Changes>

export interface TypedArea<Own, App, Changes> extends Omit<Area, 'endpoints' | 'appEndpoints' | 'changes'> {
  readonly endpoints: Own
  readonly appEndpoints: App
  readonly changes: Changes
}

/** A contribution, or a function that makes it from those of all areas. */
export type ByRegistry<Contribution> = Contribution | ((registry: Registry) => Contribution)

/** Contributions of all areas, for areas that handle those of others. */
export interface Registry {
  readonly events: readonly DescribedEventType[]
  readonly approvables: readonly Approvable[]
  readonly personalData: readonly PersonalDataLocation[]
  readonly presence: readonly PresenceKind[]
  readonly recounts: readonly Recount[]
}

export interface DownloadServices {
  readonly installation: Installation
  readonly pictures: Pictures
}

export interface PageServices {
  readonly installation: ProfileInstallation
  readonly publicUrl: string | undefined
  /** Whether the console is served; without it, areas serve plain pages where a person needs one. */
  readonly hasConsole: boolean
}

export interface RouteServices {
  readonly installation: ProfileInstallation
  readonly log: Log
}

export interface JobServices {
  readonly installation: ProfileInstallation
  readonly registry: Registry
  readonly mailer: Mailer
  readonly budgets: Budgets
  /** Days for which the audit log is kept. */
  readonly auditDays: number
  /** Writes message variants for stories. */
  readonly generator: Generator
  /** Milliseconds between two polls of a profile; undefined where polling is disabled. */
  readonly pollEvery: number | undefined
  /** Milliseconds between two fetches of a stream that is on somebody's screen. */
  readonly streamEvery: number
  /** Folder for emails while no SMTP server is configured. */
  readonly outbox: string
}

/** Sample content of the demo workspace. */
export interface Demo {
  /** Areas whose sample content must exist first. */
  readonly after?: readonly string[]
  /** Runs outside of a transaction, for example to store files; `seed` receives the result. */
  readonly prepare?: (io: ExternalIo, options: DemoOptions) => Promise<unknown>
  readonly seed: (context: Context, options: DemoOptions, prepared: unknown) => Promise<void>
}

export interface DemoOptions {
  /** Base URL of the sandbox networks, if they run. */
  readonly sandboxUrl: string | undefined
  /** Folder with the sample media files. */
  readonly mediaFolder: string
  readonly adminId: string
  readonly registry: Registry
}
