import { createTransport } from 'nodemailer'
import type { Letter, Post } from './letter.ts'

/** Sends through an SMTP server, over a few connections that are kept. */
export function openSmtp(url: string, patience: number): Post {
  let pool = openPool(url)
  const giveUpOn = (stuck: Pool) => {
    if (pool === stuck) pool = openPool(url)
    stuck.close({ force: true })
  }
  return {
    async send(letter) {
      const used = pool
      let timer: NodeJS.Timeout | undefined
      const overdue = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new Error(`The SMTP server did not take the mail within ${patience / 1000} seconds.`))
          // Nothing ends a single delivery that a server keeps alive drop by drop; the others are tried again.
          giveUpOn(used)
        }, patience)
      })
      try {
        await Promise.race([used.sendMail(message(letter)), overdue])
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => pool.close({ force: true }),
  }
}

type Pool = ReturnType<typeof openPool>

function openPool(url: string) {
  const pool = createTransport({
    url,
    pool: true,
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

const message = ({ messageId, date, from, to, subject, text }: Letter) => ({
  messageId,
  date,
  from,
  // Objects are taken as they are, text would be parsed for names and further addresses.
  to: { name: '', address: to },
  subject,
  text,
  disableFileAccess: true,
  disableUrlAccess: true,
  headers: { 'Auto-Submitted': 'auto-generated' },
})
