import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Received {
  from: string
  to: string[]
  user: string | undefined
  raw: string
}

/** A local SMTP server that records received emails. */
export async function smtpSink(port = 0): Promise<{ port: number; mails: Received[]; close(): Promise<void> }> {
  const mails: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      done(password === 'p@ss/word' ? null : new Error('no'), { user: username }),
    async onData(stream, { envelope, user }, done) {
      const raw = await text(stream)
      const { mailFrom, rcptTo } = envelope
      const from = mailFrom ? mailFrom.address : ''
      mails.push({ from, to: rcptTo.map(({ address }) => address), user: user as string | undefined, raw })
      done()
    },
  })
  const listening = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  return {
    port: (listening.address() as { port: number }).port,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
