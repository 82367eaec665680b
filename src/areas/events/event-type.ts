import { idKinds } from '#kernel/ids.ts'

/** A type of event that webhooks can subscribe to. The area that emits it declares it. */
export interface EventType<Name extends string = string> {
  readonly name: Name
  readonly group: string
  readonly description: string
  /** Still delivered to existing subscriptions, no longer offered. */
  readonly legacy: boolean
}

/** An event type with one element of its payload's data, or an array where the contract shows one. */
export interface DescribedEventType extends EventType {
  readonly sample: object
}

type EventTypes<Names extends string> = { readonly [name in Names]: EventType<name> }
type Descriptions = { readonly [name: string]: string }

/** Declares the event types of one group, by their names and descriptions. */
export const eventTypes = <const Declared extends Descriptions>(group: string, declared: Declared) =>
  declare(group, declared, false)

export const legacyEventTypes = <const Declared extends Descriptions>(group: string, declared: Declared) =>
  declare(group, declared, true)

const declare = <Declared extends Descriptions>(group: string, declared: Declared, legacy: boolean) =>
  Object.fromEntries(
    Object.entries(declared).map(([name, description]) => [name, { name, group, description, legacy }]),
  ) as EventTypes<keyof Declared & string>

/** Each type needs a sample, which its area derives from the shape it emits. */
export const withSamples = <Names extends string>(
  types: EventTypes<Names>,
  samples: { readonly [name in Names]: object },
): DescribedEventType[] =>
  Object.values<EventType<Names>>(types).map((type) => ({ ...type, sample: samples[type.name] }))

export const eventIds = idKinds({ event: '0EV' })
