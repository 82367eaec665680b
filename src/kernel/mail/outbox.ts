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
function eml({ messageId, date, from, to, subject, text, headers }: Letter): string {
  const head = [
    `From: ${from.name ? `"${from.name}" <${from.address}>` : from.address}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${messageId}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return `${head.join('\r\n')}\r\n\r\n${text.replace(/\r?\n|\r/g, '\r\n')}\r\n`
}
