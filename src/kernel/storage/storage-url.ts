/** Location and credentials of an S3-compatible store. */
export interface S3Settings {
  /** `https://host:port`, set by the operator. */
  endpoint: string
  bucket: string
  /** Key prefix in the bucket, so that the bucket may hold other objects too. */
  prefix: string
  region: string
  accessKey: string
  secretKey: string
  /** The bucket is part of the path; otherwise of the host name. */
  pathStyle: boolean
}

export type StoragePlace = { kind: 'files' } | { kind: 's3'; settings: S3Settings }

/**
 * Parses the storage setting: empty for the data folder, or `s3://KEY:SECRET@host[:port]/bucket[/folder]` with `region`, `tls` and
 * `pathStyle`. The error message continues the setting's name and never contains the secret.
 */
export function readStorageUrl(text: string): StoragePlace {
  if (text === '') return { kind: 'files' }
  if (!/^s3:\/\//i.test(text)) throw new Error(`must be empty or start with s3://, as in ${example}`)
  const [address = '', ...rest] = text.slice('s3://'.length).split('?')
  const query = rest.join('?')
  if (/[@?]/.test(query)) throw new Error('holds a question mark before its options; write it as %3F')
  // Secrets may contain slashes, so the host starts after the last @.
  const at = address.lastIndexOf('@')
  if (at < 0) throw new Error(`holds no access key before the host, as in ${example}`)
  const [host = '', bucket = '', ...folders] = address.slice(at + 1).split('/')
  const options = readOptions(query)
  const endpoint = readEndpoint(host, options.tls)
  return {
    kind: 's3',
    settings: { endpoint, ...readKeys(address.slice(0, at)), ...readPlace(bucket, folders), ...options.rest },
  }
}

const example = 's3://KEY:SECRET@s3.example.com/bucket?region=eu-central-1'

function readKeys(text: string) {
  const colon = text.indexOf(':')
  if (colon < 1) throw new Error('holds no access key before the colon')
  if (colon === text.length - 1) throw new Error('holds no secret behind the access key and its colon')
  const [accessKey, secretKey] = [text.slice(0, colon), text.slice(colon + 1)].map(decoded) as [string, string]
  if (!/^[\x21-\x7e]+$/.test(accessKey + secretKey) || /[/,=]/.test(accessKey)) {
    throw new Error('holds an access key or a secret with signs that none can have')
  }
  return { accessKey, secretKey }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('holds a percent sign in the access key or the secret; write it as %25')
  }
}

function readEndpoint(host: string, tls: boolean): string {
  try {
    const url = new URL(`${tls ? 'https' : 'http'}://${host}`)
    if (url.host !== '' && /^[\w.:[\]-]+$/.test(host)) return url.origin
  } catch {}
  throw new Error(`holds "${host}", which is neither a host nor a host and its port`)
}

function readPlace(bucket: string, folders: string[]) {
  if (bucket === '') throw new Error('names no bucket behind the host')
  if (!/^[A-Za-z0-9][A-Za-z0-9.-]{1,61}[A-Za-z0-9]$/.test(bucket) || bucket.includes('..')) {
    throw new Error(`names the bucket "${bucket}"; a bucket has 3 to 63 letters, digits, dots and hyphens`)
  }
  const path = folders.filter((folder) => folder !== '')
  const wrong = path.find((folder) => !/^[0-9A-Za-z_-]{1,64}$/.test(folder))
  if (wrong !== undefined) throw new Error(`names the folder "${wrong}"; only letters, digits, - and _ are possible`)
  return { bucket, prefix: path.join('/') || 'chorus' }
}

function readOptions(query: string) {
  const { region = 'us-east-1', tls = '1', pathStyle = '1', ...others } = Object.fromEntries(new URLSearchParams(query))
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`holds the option "${unknown}"; there are region, tls and pathStyle`)
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(region)) throw new Error(`names the region "${region}", as no region is called`)
  return { tls: readSwitch('tls', tls), rest: { region, pathStyle: readSwitch('pathStyle', pathStyle) } }
}

function readSwitch(name: string, value: string): boolean {
  if (value !== '0' && value !== '1') throw new Error(`holds ${name}=${value}; it must be 0 or 1`)
  return value === '1'
}
