import { createTransport } from 'nodemailer'
import type { Letter, Post } from './letter.ts'

/** Sends through an SMTP server, each mail over a connection that is its own as long as it takes, and is kept afterwards. */
export function openSmtp(url: string, patience: number): Post {
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
        // Nothing else ends a delivery that a server keeps alive drop by drop; no other mail goes this way.
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
    // The job's waits are the retries; within one try a kept connection may turn out to be dead once.
    maxRequeues: 1,
    requireTLS: needsTls(url),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    dnsTimeout: 10_000,
    socketTimeout: 20_000,
  })
  // A kept connection that breaks is replaced; what was being sent over it fails by itself.
  pool.on('error', () => {})
  return pool
}

/** A password leaves this machine encrypted or not at all; `?requireTLS=false` in the URL says otherwise. */
function needsTls(text: string): boolean {
  const { username, hostname } = new URL(text)
  return username !== '' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

const message = ({ messageId, date, from, to, subject, text, headers, attachment }: Letter) => ({
  messageId,
  date,
  from,
  // Objects are taken as they are, text would be parsed for names and further addresses.
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
