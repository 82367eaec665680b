import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Letter, Post } from './letter.ts'

/** Keeps each mail as a file that mail programs and people can read; the names sort by time. */
export function openOutbox(folder: string): Post {
  return {
    async send(letter) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const file = join(folder, fileName(letter))
      // Mails hold secrets such as links that reset a password.
      await writeFile(`${file}.tmp`, eml(letter), { mode: 0o600 })
      await rename(`${file}.tmp`, file)
    },
    close() {},
  }
}

/** A digest rather than the id: some file systems take `a` and `A` for the same. */
function fileName({ date, messageId }: Letter): string {
  const digest = createHash('sha256').update(messageId).digest('hex').slice(0, 16)
  return `${date.toISOString().replace(/[:.]/g, '-')}-${digest}.eml`
}

/** In UTF-8 throughout (RFC 6532), so that a link in it can be copied by hand. */
function eml({ messageId, date, from, to, subject, text, headers, attachment }: Letter): string {
  const words = text.replace(/\r?\n|\r/g, '\r\n')
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
  if (!attachment) return `${head}\r\n${plainText}\r\n\r\n${words}\r\n`
  const { name, type, content } = attachment
  const parts = [
    `${plainText}\r\n\r\n${words}`,
    `Content-Type: ${type}\r\nContent-Disposition: attachment; filename="${name}"\r\nContent-Transfer-Encoding: base64\r\n\r\n${folded(content)}`,
  ]
  const body = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('')
  return `${head}\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n${body}--${boundary}--\r\n`
}

const plainText = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit'

const lineBytes = 57

/** In lines as short as mail wants them. */
function folded(content: Buffer): string {
  const lines: string[] = []
  for (let at = 0; at < content.length; at += lineBytes)
    lines.push(content.toString('base64', at, Math.min(at + lineBytes, content.length)))
  return lines.join('\r\n')
}
