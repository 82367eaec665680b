import type { Sender } from './address.ts'

/** A mail ready to leave: no line of its head can become two. */
export interface Letter {
  messageId: string
  date: Date
  from: Sender
  to: string
  subject: string
  text: string
  /** Lines that mail programs read. */
  headers: { readonly [name: string]: string }
}

/** What carries letters away. */
export interface Post {
  send(letter: Letter): Promise<void>
  close(): void
}
