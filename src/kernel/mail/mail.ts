import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import { timeOf } from '../ids.ts'

export interface Sender {
  name: string
  address: string
}

/** A single email address: no display name, no second address after a comma, no line break that could inject a header. */
const address = /^[^\s\p{Cc}@<>()[\]\\,;:"]{1,64}@[^\s\p{Cc}@<>()[\]\\,;:"]{1,255}$/u

function refuseAddress(text: string) {
  if (!address.test(text)) throw new Error(`${JSON.stringify(text)} is not the address of one person.`)
}

/** Parses `Name <email>`, or an email address alone. */
export function readSender(text: string): Sender {
  const [, name = '', inside] = /^([^<>"\\\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? []
  const sender = { name: name.trim(), address: inside ?? text }
  if (!address.test(sender.address)) throw new Error('must be an address such as Chorus <chorus@example.com>')
  return sender
}

/** Replaces line breaks with spaces, so that a header can't be split into two. */
export const onOneLine = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 500)

/** An email ready to send: no header contains a line break. */
export interface Letter {
  messageId: string
  date: Date
  from: Sender
  to: string
  subject: string
  text: string
  attachment?: Attachment | undefined
  /** Headers for email clients. */
  headers: { readonly [name: string]: string }
}

/** Small enough to be held in memory. */
export interface Attachment {
  name: string
  /** MIME type. */
  type: string
  content: Buffer
}

/** Email transport. */
export interface Post {
  send(letter: Letter): Promise<void>
  close(): void
}

/** An email to one person. */
export interface Mail {
  /** Email address without a display name. */
  to: string
  subject: string
  text: string
  /** URL that unsubscribes with one request and without signing in; email clients show a button for it (RFC 8058). */
  unsubscribeUrl?: string
}

/** An email that is sent immediately; queued ones have no attachments. */
export interface SentMail extends Mail {
  id: string
  attachment?: Attachment
}

export interface Mailer {
  /** The id is that of the sending job, so a duplicate delivery has the same Message-ID. */
  send(mail: SentMail): Promise<void>
  close(): void
}

export interface MailerOptions {
  smtpUrl: string | undefined
  /** `Name <email>`, or the email address alone. */
  from: string
  /** Folder for emails if there is no SMTP server. */
  outbox: string
  /** Timeout of one email in milliseconds. */
  patience?: number
}

/** Sends emails through an SMTP server, or writes them to files if there is none. */
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

/** Sends through an SMTP server. Each email has exclusive use of a connection, which is kept for reuse. */
function openSmtp(url: string, patience: number): Post {
  const idle: Pool[] = []
  const used = new Set<Pool>()
  const close = (pool: Pool) => pool.close({ force: true })
  return {
    async send(letter) {
      const pool = idle.pop() ?? openPool(url)
      used.add(pool)
      let timer: NodeJS.Timeout | undefined
      const overdue = new Promise<never>((_, reject) => {
        const sentence = `The SMTP server did not take the mail within ${patience / 1000} seconds.`
        timer = setTimeout(() => reject(new Error(sentence)), patience)
      })
      try {
        await Promise.race([pool.sendMail(message(letter)), overdue])
        idle.push(pool)
      } catch (error) {
        // The only way to end a delivery that a server keeps alive byte by byte; no other email uses this connection.
        close(pool)
        throw error
      } finally {
        clearTimeout(timer)
        used.delete(pool)
      }
    },
    close: () => [...idle, ...used].forEach(close),
  }
}

type Pool = ReturnType<typeof openPool>

function openPool(url: string) {
  const pool = createTransport({
    url,
    pool: true,
    maxConnections: 1,
    // Retries are up to the job; within one attempt, a kept connection may turn out to be closed once.
    maxRequeues: 1,
    requireTLS: needsTls(url),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 20_000,
  })
  // A broken idle connection is replaced; an email being sent over it fails by itself.
  pool.on('error', () => {})
  return pool
}

/** Credentials leave this machine only encrypted, unless the URL contains `?requireTLS=false`. */
function needsTls(text: string): boolean {
  const { username, hostname } = new URL(text)
  return username !== '' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

const message = ({ messageId, date, from, to, subject, text, headers, attachment }: Letter) => ({
  messageId,
  date,
  from,
  // Objects are used as they are; a string would be parsed for names and further addresses.
  to: { name: '', address: to },
  subject,
  text,
  attachments: attachment
    ? [{ filename: attachment.name, contentType: attachment.type, content: attachment.content }]
    : [],
  disableFileAccess: true,
  disableUrlAccess: true,
  headers,
})

/** Stores each email as a readable .eml file; the names sort by time. */
function openOutbox(folder: string): Post {
  return {
    async send(letter) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, fileName(letter))
      // Emails contain secrets such as password reset links.
      await writeFile(`${file}.tmp`, eml(letter), { mode: 0o600 })
      await rename(`${file}.tmp`, file)
    },
    close() {},
  }
}

/** A digest instead of the id: some file systems are case-insensitive. */
function fileName({ date, messageId }: Letter): string {
  const digest = createHash('sha256').update(messageId).digest('hex').slice(0, 16)
  return `${date.toISOString().replace(/[:.]/g, '-')}-${digest}.eml`
}

/** UTF-8 throughout (RFC 6532), so that a link in it can be copied by hand. */
function eml({ messageId, date, from, to, subject, text, headers, attachment }: Letter): string {
  const lines = text.replace(/\r?\n|\r/g, '\r\n')
  const boundary = `part-${createHash('sha256').update(messageId).digest('hex').slice(0, 32)}`
  const head = [
    `From: ${from.name ? `"${from.name}" <${from.address}>` : from.address}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${messageId}`,
    'MIME-Version: 1.0',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n')
  if (!attachment) return `${head}\r\n${plainText}\r\n\r\n${lines}\r\n`
  const { name, type, content } = attachment
  const parts = [
    `${plainText}\r\n\r\n${lines}`,
    `Content-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${folded(content)}`,
  ]
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return `${head}\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${body}--${boundary}--\r\n`
}

const plainText = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit'

const lineBytes = 57

/** Base64 in lines of the length that MIME requires. */
function folded(content: Buffer): string {
  const lines: string[] = []
  for (let at = 0; at < content.length; at += lineBytes)
    lines.push(content.toString('base64', at, Math.min(at + lineBytes, content.length)))
  return lines.join('\r\n')
}
