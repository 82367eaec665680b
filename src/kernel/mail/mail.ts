import { timeOf } from '../ids.ts'
import { onOneLine, readSender, refuseAddress } from './address.ts'
import type { Attachment, Letter, Post } from './letter.ts'
import { openOutbox } from './outbox.ts'
import { openSmtp } from './smtp.ts'

/** A mail to one person. */
export interface Mail {
  /** The address alone, without a name. */
  to: string
  subject: string
  text: string
  /** Where one call, without signing in, ends such mails; mail programs show a button for it (RFC 8058). */
  unsubscribeUrl?: string
}

/** A mail that leaves now; what waits in the database has no files. */
export interface SentMail extends Mail {
  id: string
  attachment?: Attachment
}

export interface Mailer {
  /** The id is that of the job that sends it: sent twice, it is the same mail to whoever gets it. */
  send(mail: SentMail): Promise<void>
  close(): void
}

export interface MailerOptions {
  smtpUrl: string | undefined
  /** `Name <address>`, or the address alone. */
  from: string
  /** The folder mails are kept in when there is no SMTP server. */
  outbox: string
  /** Milliseconds one mail may take. */
  patience?: number
}

/** The way out for mail: an SMTP server, or files somebody can read where there is none. */
export function openMailer({ smtpUrl, from, outbox, patience = 30_000 }: MailerOptions): Mailer {
  const sender = readSender(from)
  const domain = sender.address.slice(sender.address.lastIndexOf('@') + 1)
  const post: Post = smtpUrl ? openSmtp(smtpUrl, patience) : openOutbox(outbox)
  const letter = ({ id, to, subject, text, unsubscribeUrl, attachment }: SentMail): Letter => {
    refuseAddress(to)
    const messageId = `<${id}@${domain}>`
    return {
      messageId,
      date: timeOf(id),
      from: sender,
      to,
      subject: onOneLine(subject),
      text,
      attachment,
      headers: headersOf(unsubscribeUrl),
    }
  }
  return {
    send: async (mail) => post.send(letter(mail)),
    close: () => post.close(),
  }
}

const headersOf = (unsubscribeUrl: string | undefined) => ({
  'Auto-Submitted': 'auto-generated',
  ...(unsubscribeUrl && {
    'List-Unsubscribe': `<${onOneLine(unsubscribeUrl)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }),
})
