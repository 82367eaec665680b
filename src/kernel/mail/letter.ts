import type { Sender } from './address.ts'

/** A mail ready to leave: no line of its head can become two. */
export interface Letter {
  messageId: string
  date: Date
  from: Sender
  to: string
  subject: string
  text: string
  /** A file that goes with it. */
  attachment?: Attachment | undefined
  /** Lines that mail programs read. */
  headers: { readonly [name: string]: string }
}

/** Small enough to be held in memory. */
export interface Attachment {
  name: string
  /** As MIME has it. */
  type: string
  content: Buffer
}

/** What carries letters away. */
export interface Post {
  send(letter: Letter): Promise<void>
  close(): void
}
