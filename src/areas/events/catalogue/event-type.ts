export interface EventType<Name extends string = string> {
  readonly name: Name
  readonly group: string
  readonly description: string
  /**
   * One element of the payload's data with placeholder values, an array where the contract shows one; written down here as long as the area
   * that will send it is not there. Who sends an event derives its sample from the shape it is sent with.
   */
  readonly sample?: object | readonly object[]
  /** Still delivered to subscriptions of it, no longer listed. */
  readonly legacy?: true
}

/** An event type whose name stays a literal, so that the catalogue's names form a union. */
export const eventType = <const Name extends string>(name: Name, rest: Omit<EventType, 'name'>): EventType<Name> => ({
  name,
  ...rest,
})
