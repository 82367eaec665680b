import { expect, test } from 'vitest'
import { readStorageUrl } from './storage-url.ts'

const settings = (text: string) => {
  const place = readStorageUrl(text)
  return place.kind === 's3' ? place.settings : undefined
}

test('an empty setting stores files in the data folder', () => {
  expect(readStorageUrl('')).toEqual({ kind: 'files' })
})

test('a URL configures the bucket and its endpoint', () => {
  const common = { bucket: 'media', prefix: 'chorus', accessKey: 'KEY', secretKey: 'hunter', region: 'us-east-1' }
  expect(settings('s3://KEY:hunter@s3.example.com/media')).toEqual({
    ...common,
    endpoint: 'https://s3.example.com',
    pathStyle: true,
  })
  expect(settings('S3://KEY:hunter@127.0.0.1:9000/media/a/b?region=eu-1&tls=0&pathStyle=0')).toEqual({
    ...common,
    endpoint: 'http://127.0.0.1:9000',
    prefix: 'a/b',
    region: 'eu-1',
    pathStyle: false,
  })
  expect(settings('s3://KEY:hunter@[::1]:9000/media/?tls=1&pathStyle=1')?.endpoint).toBe('https://[::1]:9000')
})

test('secrets are accepted plain or percent-encoded', () => {
  expect(settings('s3://KEY:a/b+c=@d:e@host/media')?.secretKey).toBe('a/b+c=@d:e')
  expect(settings('s3://KEY:a%2Fb%3Fc%25@host/media')?.secretKey).toBe('a/b?c%')
})

test.each([
  ['http://KEY:hunter@host/media', 'must be empty or start with s3://'],
  ['s3://host/media', 'holds no access key before the host'],
  ['s3://:hunter@host/media', 'holds no access key before the colon'],
  ['s3://KEY@host/media', 'holds no access key before the colon'],
  ['s3://KEY:@host/media', 'holds no secret'],
  ['s3://KEY:hun%ter@host/media', 'write it as %25'],
  ['s3://KEY:hun?ter@host/media', 'holds a question mark before its options'],
  ['s3://KEY:S@EC?ter@host/media?tls=0', 'holds a question mark before its options'],
  ['s3://KEY:hun ter@host/media', 'signs that none can have'],
  ['s3://KEY:hunter@/media', 'holds "", which is neither a host'],
  ['s3://KEY:hunter@host:99999/media', 'holds "host:99999", which is neither a host'],
  ['s3://KEY:hunter@ho st/media', 'holds "ho st", which is neither a host'],
  ['s3://KEY:hunter@host', 'names no bucket'],
  ['s3://KEY:hunter@host/', 'names no bucket'],
  ['s3://KEY:hunter@host/a_b', 'names the bucket "a_b"'],
  ['s3://KEY:hunter@host/media/..', 'names the folder ".."'],
  ['s3://KEY:hunter@host/media?tls=yes', 'holds tls=yes; it must be 0 or 1'],
  ['s3://KEY:hunter@host/media?pathStyle=', 'holds pathStyle=; it must be 0 or 1'],
  ['s3://KEY:hunter@host/media?region=a/b', 'names the region "a/b"'],
  ['s3://KEY:hunter@host/media?reggion=a', 'holds the option "reggion"'],
])('%s is refused with a message that discloses no secret', (text, sentence) => {
  expect(() => readStorageUrl(text)).toThrow(sentence)
  expect(() => readStorageUrl(text)).not.toThrow(/hun|ter@/)
})
