import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Mailer, openMailer } from './mail.ts'
import { smtpSink } from './smtp-sink.fixture.ts'

const id = '0jb0UgPkcS00001'
const mail = { id, to: 'nora@example.com', subject: 'Your password', text: 'https://chorus.example/reset?key=a=b\nBye' }

let outbox: string
const endings: (() => unknown)[] = []
beforeEach(async () => {
  outbox = join(await mkdtemp(join(tmpdir(), 'chorus-mail-')), 'outbox')
  endings.push(() => rm(join(outbox, '..'), { recursive: true }))
})
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

function mailer(smtpUrl?: string, from = 'Chorus <chorus@example.com>', patience = 30_000): Mailer {
  const opened = openMailer({ smtpUrl, from, outbox, patience })
  endings.push(() => opened.close())
  return opened
}
const sink = async () => {
  const opened = await smtpSink()
  endings.push(() => opened.close())
  return opened
}

describe('an SMTP server', () => {
  test('receives sender, recipient, subject and text in any script', async () => {
    const { port, mails } = await sink()
    const text = 'Schöne Grüße 🎉'
    await mailer(`smtp://127.0.0.1:${port}`, 'Chörus, Inc. <chorus@example.com>').send({ ...mail, subject: text, text })
    const [{ from, to, raw } = { raw: '' }] = mails
    expect([from, to]).toEqual(['chorus@example.com', ['nora@example.com']])
    const read = readable(raw)
    expect(header(read, 'From')).toBe('Chörus, Inc. <chorus@example.com>')
    expect(header(read, 'To')).toBe('nora@example.com')
    expect(header(read, 'Subject')).toBe(text)
    expect(header(read, 'Message-ID')).toBe(`<${id}@example.com>`)
    expect(read.split('\r\n\r\n')[1]?.trim()).toBe(text)
  })

  test('receives the user name and password of its URL', async () => {
    const { port, mails } = await sink()
    await mailer(`smtp://nora:p%40ss%2Fword@127.0.0.1:${port}`).send(mail)
    expect(mails).toMatchObject([{ user: 'nora' }])
    await expect(mailer(`smtp://nora:wrong@127.0.0.1:${port}`).send(mail)).rejects.toThrow('Invalid login')
  })

  test('on another machine receives no password over an unencrypted connection', async () => {
    const { port, mails } = await sink()
    // Resolves to this machine, but is not recognized as loopback.
    const { send } = mailer(`smtp://nora:p%40ss%2Fword@127.1:${port}`)
    await expect(send(mail)).rejects.toThrow('STARTTLS')
    expect(mails).toEqual([])
  })

  test.each([
    ['sends nothing', () => {}],
    ['sends one byte at a time', (socket: Socket) => drip(socket)],
  ])('that %s fails within the timeout and leaves no connection open', async (_, behave) => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)))
      behave(socket)
    }).listen(0, '127.0.0.1')
    endings.push(() => server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    await expect(mailer(`smtp://127.0.0.1:${port}`, undefined, 400).send(mail)).rejects.toThrow(
      'The SMTP server did not take the mail within 0.4 seconds.',
    )
    await expect.poll(() => sockets.size).toBe(0)
  })
})

describe('without an SMTP server', () => {
  const outboxFiles = async () => {
    const names = await readdir(outbox)
    return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(outbox, name), 'utf8') })))
  }

  test('an email is a readable file with private permissions; sending it again replaces the same file', async () => {
    const { send } = mailer()
    await send({ ...mail, subject: 'Grüße' })
    await send({ ...mail, subject: 'Grüße' })
    const [file, ...others] = await outboxFiles()
    expect(others).toEqual([])
    expect(file?.name).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z-[0-9a-f]{16}\.eml$/)
    expect(file?.text).toContain('From: "Chorus" <chorus@example.com>\r\nTo: nora@example.com\r\nSubject: Grüße\r\n')
    expect(file?.text).toContain(`\r\nMessage-ID: <${id}@example.com>\r\n`)
    expect(file?.text).toMatch(/\r\n\r\nhttps:\/\/chorus\.example\/reset\?key=a=b\r\nBye\r\n$/)
    expect((await stat(join(outbox, file?.name ?? ''))).mode & 0o077).toBe(0)
  })

  test('ids that differ only in case are two files, in order of creation', async () => {
    const { send } = mailer()
    for (const other of ['0jb0UgPkcS0000a', '0jb0UgPkcS0000A', '0jb0UgPkcR0000A']) await send({ ...mail, id: other })
    const files = await outboxFiles()
    expect(new Set(files.map(({ name }) => name.toLowerCase())).size).toBe(3)
    expect(files[0]?.text).toContain('0jb0UgPkcR0000A')
  })
})

describe.each(['smtp', 'outbox'])('by %s', (way) => {
  const open = async () => {
    const { port, mails } = await sink()
    const read = async () => {
      const [name = ''] = await readdir(outbox)
      return readFile(join(outbox, name), 'utf8')
    }
    return way === 'smtp'
      ? { ...mailer(`smtp://127.0.0.1:${port}`), raw: async () => mails[0]?.raw ?? '' }
      : { ...mailer(), raw: read }
  }

  test.each(['\r\n', '\n', '\r', '\u2028', '\0'])('a subject with %j remains one line', async (lineEnd) => {
    const { send, raw } = await open()
    await send({ ...mail, subject: `Hello${lineEnd}Bcc: evil@example.com${lineEnd}${lineEnd}Body` })
    const head = (await raw()).split('\r\n\r\n')[0] ?? ''
    expect(header(head, 'Subject')).toBe('Hello Bcc: evil@example.com Body')
    expect(head).not.toMatch(/^Bcc/im)
  })

  test.each([
    'nora@example.com\r\nBcc: evil@example.com',
    'nora@example.com, evil@example.com',
    'nora@example.com;evil@example.com',
    'Nora <nora@example.com>',
    'nora@example.com> RCPT TO:<evil@example.com',
    'nobody',
    '',
  ])('%j is refused as an email address', async (to) => {
    const { send } = await open()
    await expect(send({ ...mail, to })).rejects.toThrow(`${JSON.stringify(to)} is not the address of one person.`)
  })
})

/** Sends one byte at a time of a greeting that never ends. */
function drip(socket: Socket) {
  const timer = setInterval(() => socket.write('2'), 50)
  socket.once('close', () => clearInterval(timer))
}

const header = (raw: string, name: string) =>
  new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, 'im').exec(raw)?.[1]?.replace(/\r\n/g, '') ?? ''

/** Decodes non-ASCII text: encoded words in headers, quoted-printable in the body. */
const readable = (raw: string) => {
  const plain = raw
    .replace(/\?=\s+=\?UTF-8\?Q\?/g, '')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/g, (_, word: string) => word.replaceAll('_', ' '))
  const bytes = plain.replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
