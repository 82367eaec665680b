import { readFileSync } from 'node:fs'
import type { Area, ByRegistry, DemoOptions, JobServices, PageServices, Registry, RouteServices } from '#areas/area.ts'
import { openReactions, type Reaction } from '#areas/events/reaction.ts'
import type { ProfileInstallation } from '#areas/profiles/access/profile-row.ts'
import type { Context } from '#kernel/context.ts'
import type { ExternalIo } from '#kernel/external-io.ts'
import type { Description } from '#kernel/http/docs.ts'
import { describeConsole, describeInterface, type Examples } from '#kernel/http/openapi.ts'
import type { Endpoint } from '#kernel/http/route/endpoint.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Job } from '#kernel/jobs/job.ts'
import { openPictures } from '#kernel/pictures.ts'
import * as list from './areas.ts'
import { kernel } from './kernel-area.ts'
import { apiExamples, version } from './project.ts'

type Listed = (typeof list)[keyof typeof list]

/** The kernel's own part first, then every area after its dependencies. */
export const areas: readonly Area[] = [
  kernel,
  ...inOrder<Area>(
    Object.values(list),
    ({ name }) => name,
    ({ dependsOn = [] }) => dependsOn,
  ),
]

const all = <Contribution>(of: (area: Area) => readonly Contribution[] | undefined): Contribution[] =>
  areas.flatMap((area) => of(area) ?? [])

function distinct<Item extends { name: string }>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const known = new Map<string, string>()
  for (const item of items) {
    const other = known.get(keyOf(item))
    if (other) throw new Error(`"${item.name}" and "${other}" are both declared with ${keyOf(item)}.`)
    known.set(keyOf(item), item.name)
  }
  return [...items]
}

const personalData = all((area) => area.personalData)

export const registry: Registry = {
  events: distinct(
    all((area) => area.events),
    ({ name }) => name,
  ),
  approvables: all((area) => area.approvables),
  // Copies are deleted after the rows they were made from, so that none is made in between.
  personalData: [...personalData.filter(({ isCopy }) => !isCopy), ...personalData.filter(({ isCopy }) => isCopy)],
  presence: all((area) => area.presence),
  recounts: all((area) => area.recounts),
}

const resolved = <Contribution>(contribution: ByRegistry<Contribution> | undefined): Contribution | undefined =>
  typeof contribution === 'function' ? (contribution as (registry: Registry) => Contribution)(registry) : contribution

export const idKinds = distinct(
  all((area) => Object.values(area.ids ?? {})),
  ({ prefix }) => prefix,
)

export const quotas = distinct(
  all((area) => Object.values(area.quotas ?? {})),
  ({ name }) => name,
)

const apiTags = all((area) => area.tags)

/** Every operation of the contract. */
export const endpoints = all((area) => resolved(area.endpoints)) as readonly EndpointsOf<'endpoints'>[]

/** Further operations of the console. */
export const appEndpoints = all((area) => resolved(area.appEndpoints)) as readonly EndpointsOf<'appEndpoints'>[]

type EndpointsOf<Part extends 'endpoints' | 'appEndpoints'> = Listed extends infer One
  ? One extends { readonly [part in Part]: infer Declared }
    ? ElementOf<Declared extends (...args: never) => infer Made ? Made : Declared>
    : never
  : never

/** The kinds of changes that browsers are notified of. */
export type ChangeName = Listed extends infer One
  ? One extends { readonly changes: infer Changes }
    ? keyof Changes
    : never
  : never

type ElementOf<List> = List extends readonly (infer Element)[] ? Element : never

export const intakes = all((area) => area.intakes).map(({ description }) => description)
export const downloads = all((area) => area.downloads).map(({ description }) => description)
export const streams = all((area) => area.streams)

export const intakeRoutes = (installation: Installation) =>
  all((area) => area.intakes).map(({ route }) => route(installation))

export function downloadRoutes(installation: Installation) {
  const services = { installation, pictures: openPictures(installation) }
  return all((area) => area.downloads).map(({ route }) => route(services))
}

export const pagesOf = (services: PageServices) => all((area) => area.pages?.(services))
export const fileRoutes = (services: RouteServices) => all((area) => area.fileRoutes?.(services))
export const pushRoutes = (services: RouteServices) => all((area) => area.pushRoutes?.(services))

const declaredReactions = all((area) => resolved(area.reactions))

export const reactions: readonly Reaction[] = [
  ...declaredReactions.filter(({ last }) => !last),
  ...declaredReactions.filter(({ last }) => last),
]

/** For commands and tests, which leave jobs to the workers. */
export const { react } = openReactions(reactions)

export const jobsOf = (services: Omit<JobServices, 'registry'>): readonly Job<never>[] =>
  all((area) => area.jobs?.({ ...services, registry }))

export const recurringJobs = all((area) => area.recurringJobs)

export const sendablesOf = (installation: ProfileInstallation) => all((area) => area.sendables?.(installation))

export const encryptedColumns = all((area) => area.encryptedColumns)

/** Every lock, in the order in which transactions acquire them. */
export const lockOrder: readonly string[] = inOrder(
  all((area) => Object.entries(area.locks ?? {})),
  ([lock]) => lock,
  ([, before]) => (before === null ? [] : [before]),
).map(([lock]) => lock)

/** Fills the demo workspace, each area after those it refers to. */
export async function seedDemo(io: ExternalIo, options: Omit<DemoOptions, 'registry'>) {
  const given = { ...options, registry }
  const demos = inOrder(
    areas.flatMap(({ name, demo }) => (demo ? [{ name, demo }] : [])),
    ({ name }) => name,
    ({ demo }) => demo.after ?? [],
  )
  const prepared = new Map<string, unknown>()
  for (const { name, demo } of demos) prepared.set(name, await demo.prepare?.(io, given))
  await io.step(async (context: Context) => {
    for (const { name, demo } of demos) await demo.seed(context, given, prepared.get(name))
  })
}

/** The OpenAPI documents, one per API. */
export const descriptionsOf = (endpoints: readonly Endpoint[]): Description[] => [
  {
    title: 'Chorus API',
    page: '/docs',
    file: '/openapi.json',
    content: () => describeInterface(endpoints, descriptionSources()),
  },
  {
    title: 'Chorus: the console’s interface',
    page: '/docs/app',
    file: '/app-openapi.json',
    content: () => describeConsole(appEndpoints, { intakes, downloads, streams }, descriptionSources()),
  },
]

const descriptionSources = () => ({
  version,
  tags: apiTags,
  examples: JSON.parse(readFileSync(apiExamples, 'utf8')) as Examples,
})

/** Topological sort that otherwise keeps the given order. An unknown name or a cycle is an error. */
function inOrder<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  namesBefore: (item: Item) => readonly string[],
): Item[] {
  const byName = new Map(items.map((item) => [nameOf(item), item]))
  if (byName.size < items.length) throw new Error(`A name is declared twice among: ${items.map(nameOf).join(', ')}.`)
  const sorted = new Set<Item>()
  const open = new Set<Item>()
  const add = (item: Item) => {
    if (sorted.has(item)) return
    if (open.has(item)) throw new Error(`"${nameOf(item)}" comes after itself.`)
    open.add(item)
    for (const name of namesBefore(item)) {
      const before = byName.get(name)
      if (!before) throw new Error(`"${nameOf(item)}" comes after "${name}", which is not declared.`)
      add(before)
    }
    open.delete(item)
    sorted.add(item)
  }
  for (const item of items) add(item)
  return [...sorted]
}
