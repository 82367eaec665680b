import { invalid } from '#kernel/errors.ts'
import type { Mailer } from '#kernel/mail/mail.ts'
import type { Outbound } from '#kernel/outbound/outbound.ts'
import type { SecretTarget } from '#kernel/secrets/keyring.ts'
import { withoutTrailing } from '#kernel/text-parts.ts'

export const destinationTypes = ['email', 'azure', 'FTP', 'SFTP', 'S3_bucket'] as const
export type DestinationType = (typeof destinationTypes)[number]

/** Public fields of a destination; its secret is stored encrypted. */
export interface Destination {
  email?: string
  firstName?: string
  lastName?: string
  host?: string
  port?: number
  /** Seconds. */
  timeout?: number
  directory?: string
  username?: string
  /** Whether FTP uses TLS. */
  secure?: boolean
  /** SHA-256 of an SFTP server's key, in base64; by default that of the first delivery. */
  hostKey?: string
  bucketName?: string
  path?: string
  region?: string
  endpoint?: string
  accessKey?: string
  accountName?: string
  container?: string
}

/** Writable fields, named as in each type. */
export const destinationFields = [
  ...(['email', 'firstName', 'lastName'] as const),
  ...(['host', 'port', 'timeout', 'directory', 'username', 'password', 'secure', 'hostKey'] as const),
  ...(['bucketName', 'path', 'region', 'endpoint', 'accessKey', 'secretKey'] as const),
  ...(['accountName', 'container', 'key'] as const),
] as const
export type Given = { readonly [name in (typeof destinationFields)[number]]?: string }

/** Name of each type's secret; email needs none. */
export const secretNames = {
  email: undefined,
  azure: 'key',
  FTP: 'password',
  SFTP: 'password',
  S3_bucket: 'secretKey',
} as const satisfies { [type in DestinationType]: keyof Given | undefined }

/** Returned instead of a secret; sent back, it leaves the secret unchanged. */
export const mask = '********'

/** Fields that identify the secret's target: the secret is dropped when one of them changes. */
const targetNames = {
  email: [],
  azure: ['endpoint', 'accountName', 'container'],
  FTP: ['host', 'port', 'username', 'secure'],
  SFTP: ['host', 'port', 'username', 'hostKey'],
  S3_bucket: ['endpoint', 'bucketName', 'accessKey'],
} as const satisfies { [type in DestinationType]: readonly (keyof Destination)[] }

export const secretTarget = (type: DestinationType, destination: Destination): SecretTarget =>
  Object.fromEntries(targetNames[type].map((name) => [`destination[${name}]`, destination[name]]))

/** The destination with the given fields changed. A host key belongs to one SFTP server only. */
export function changedDestination(type: DestinationType, given: Given, before: Destination): Destination {
  const after = readDestination(type, given, before)
  const isSameServer = after.host === before.host && after.port === before.port
  return isSameServer || given.hostKey !== undefined || type !== 'SFTP' ? after : { ...after, hostKey: '' }
}

/** Validates a destination's fields merged with the stored ones; errors name the field. */
export function readDestination(type: DestinationType, given: Given, known: Destination = {}): Destination {
  const fields = { ...textsOf(known), ...given }
  const one = (name: keyof Given, standard?: string) => {
    const value = fields[name] || standard
    return value === undefined ? refuse(name, 'must not be empty') : oneLine(name, value)
  }
  switch (type) {
    case 'email':
      return { email: addressOf(one('email')), firstName: one('firstName', ''), lastName: one('lastName', '') }
    case 'FTP':
    case 'SFTP': {
      const server = {
        host: one('host'),
        port: numberOf('port', one('port', type === 'FTP' ? '21' : '22'), 1, 65_535),
        timeout: numberOf('timeout', one('timeout', '30'), 5, 300),
        directory: folderOf('directory', one('directory', '')),
        username: one('username'),
      }
      return type === 'FTP'
        ? { ...server, secure: !['0', 'false'].includes(one('secure', '1')) }
        : { ...server, hostKey: keyOf(one('hostKey', '')) }
    }
    case 'S3_bucket':
      return {
        bucketName: formOf('bucketName', one('bucketName'), /^[A-Za-z0-9][A-Za-z0-9.-]{1,61}[A-Za-z0-9]$/),
        path: folderOf('path', one('path', '')).replace(/^\//, ''),
        region: formOf('region', one('region', 'us-east-1'), /^[A-Za-z0-9_-]{1,64}$/),
        endpoint: originOf(one('endpoint', `https://s3.${one('region', 'us-east-1')}.amazonaws.com`)),
        accessKey: formOf('accessKey', one('accessKey'), /^[\x21-\x2b\x2d\x2e\x30-\x3c\x3e-\x7e]{1,200}$/),
      }
    default: {
      const accountName = formOf('accountName', one('accountName'), /^[a-z0-9]{3,24}$/)
      return {
        accountName,
        container: formOf('container', one('container'), /^[a-z0-9]([a-z0-9-]{1,61}[a-z0-9])$/),
        endpoint: originOf(one('endpoint', `https://${accountName}.blob.core.windows.net`)),
      }
    }
  }
}

/** Human-readable destination. */
export function destinationText({
  destinationType,
  destination,
}: {
  destinationType: DestinationType
  destination: Destination
}): string {
  const { email, host, bucketName, accountName, container } = destination
  return `${destinationType} ${email ?? host ?? bucketName ?? `${accountName}/${container}`}`
}

const textsOf = (known: Destination): Given =>
  Object.fromEntries(
    Object.entries(known).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? (value ? '1' : '0') : String(value),
    ]),
  )

const refuse = (name: string, rule: string): never => {
  throw invalid(`destination[${name}] ${rule}.`)
}

const oneLine = (name: string, value: string) =>
  value.length <= 1000 && !/\p{Cc}/u.test(value) ? value : refuse(name, 'must be one line of at most 1000 characters')

function numberOf(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return number >= least && number <= most ? number : refuse(name, `must be a whole number from ${least} to ${most}`)
}

const formOf = (name: string, text: string, form: RegExp) => (form.test(text) ? text : refuse(name, 'is not valid'))

/** One recipient; the mailer validates the rest. */
const addressOf = (text: string) =>
  formOf('email', text, /^[^\s\p{Cc}@<>()[\]\\,;:"]{1,64}@[^\s\p{Cc}@<>()[\]\\,;:"]{1,185}$/u)

/** A folder of the server, without `..`. */
function folderOf(name: string, text: string): string {
  const parts = text.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) refuse(name, 'must not hold ..')
  return `${text.startsWith('/') ? '/' : ''}${parts.join('/')}`
}

/** As printed by `ssh-keygen -l`, with or without the prefix; empty to trust the first key. */
const keyOf = (text: string) =>
  formOf('hostKey', withoutTrailing(text.replace(/^SHA256:/, ''), '='), /^([A-Za-z0-9+/]{43})?$/)

function originOf(text: string): string {
  try {
    const url = new URL(text)
    if ((url.protocol === 'https:' || url.protocol === 'http:') && url.username === '' && url.search === '')
      return withoutTrailing(`${url.origin}${url.pathname}`, '/')
  } catch {}
  return refuse('endpoint', 'must be an address such as https://storage.example.com')
}

export const zipType = 'application/zip'

/** A complete file to deliver. */
interface OutgoingFile {
  /** Identical for every attempt. */
  name: string
  bytes: number
  /** Reads from the start each time; fails before the end if the bytes are damaged. */
  read(): AsyncIterable<Uint8Array>
}

/** Parameters of a delivery. */
export interface Delivery {
  outbound: Outbound
  mailer: Mailer
  destination: Destination
  secret: string
  file: OutgoingFile
  /** The run, used as the email's Message-ID. */
  id: string
  now: Date
  /** Email text, and the download URL. */
  about: { subject: string; text: string; url: string }
  signal: AbortSignal
}

/** Result of a delivery. */
interface Delivered {
  /** Of an SFTP server used for the first time. */
  hostKey?: string
}

/**
 * Delivers a file completely or not at all. Idempotent: one file of this name. Can be aborted while waiting for a
 * server.
 */
export type Deliver = (delivery: Delivery) => Promise<Delivered>

/** An error naming the host; server messages are cut to one line. */
export function failed(host: string, error: unknown): Error {
  const message = String((error as Error)?.message ?? error)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 300)
  return new Error(`${host} did not take the file: ${message}`, { cause: error })
}
