export interface PublishingRules {
  /** How late a post may go out by itself; after that a person decides. Milliseconds. */
  lateness: number
  /** When to look for a post whose answer got lost, after it was sent; the last one decides. Milliseconds, rising. */
  looks: readonly number[]
}
