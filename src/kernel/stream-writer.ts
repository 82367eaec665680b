/** Where text goes that somebody reads as it comes, over a connection that may be slow or break. */
export interface StreamWriter {
  write(text: string): void
  /** Bytes that wait in this process because the reader has not taken them. */
  readonly waiting: number
  /** Calls back whenever nothing waits any more. */
  onTaken(callback: () => void): void
  /** Calls back once, when it is over, whoever ended it. */
  onOver(callback: () => void): void
  /** Ends it after what was written. */
  end(): void
  /** Ends it at once. */
  cut(): void
}
