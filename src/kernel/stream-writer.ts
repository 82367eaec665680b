/** Sink for text that is streamed to a client over a connection that may be slow or break. */
export interface StreamWriter {
  write(text: string): void
  /** Bytes buffered in this process because the client has not read them yet. */
  readonly waiting: number
  /** Calls back whenever the buffer is empty. */
  onTaken(callback: () => void): void
  /** Calls back once when the stream has ended, from either side. */
  onOver(callback: () => void): void
  /** Ends the stream after the buffered data is sent. */
  end(): void
  /** Ends the stream immediately. */
  cut(): void
}
