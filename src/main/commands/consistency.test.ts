import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyOf } from '#areas/media/file/stored-file.ts'
import { openFileStore } from '#kernel/storage/file-store.ts'
import { type S3Server, startS3Server } from '#kernel/storage/s3-server.fixture.ts'
import { openS3Store } from '#kernel/storage/s3-store.ts'
import type { Store } from '#kernel/storage/store.ts'
import { commandLine } from '../../../tests/support/command-line.ts'
import { ownerQuery } from '../../../tests/support/database/owner.ts'

const line = commandLine()
let s3: S3Server
const accounts: string[] = []
beforeAll(async () => {
  s3 = await startS3Server()
  for (const name of ['Ada', 'Bea']) {
    const output = await line.chorus(
      `account create --name ${name} --email ${name}@example.com --first-name ${name} --last-name Marsh`,
    )
    accounts.push(/001\w{12}/.exec(output)?.[0] ?? '')
  }
})
afterAll(() => s3.stop())

let number = 0

/** An asset whose stored file is intact, altered or missing. */
async function asset(store: Store, account: string, damage: (bytes: Buffer) => Buffer | undefined = (bytes) => bytes) {
  const bytes = randomBytes(300_000)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const id = `026file${String(++number).padStart(8, '0')}`
  const text = 'insert into stored_files (account_id, digest, bytes, uses) values ($1, $2, $3, 1)'
  await ownerQuery(line.databaseUrl, text, [account, digest, bytes.length])
  await ownerQuery(
    line.databaseUrl,
    `insert into media (account_id, id, created, modified, created_by, modified_by, type, name, mime_type, size, digest, token)
     values ($1, $2, now(), now(), '', '', 'Image', 'x.png', 'image/png', $3, $4, 'token')`,
    [account, id, bytes.length, digest],
  )
  const stored = damage(bytes)
  if (stored) await store.put(keyOf(account, digest), only(stored), stored.length, 'image/png')
  return id
}

async function* only(bytes: Uint8Array) {
  yield bytes
}

const settingsOf = (s3: S3Server) => {
  const { accessKey, secretKey, bucket, region } = s3.settings
  const secret = `${accessKey}:${encodeURIComponent(secretKey)}`
  return { CHORUS_STORAGE_URL: `s3://${secret}@${new URL(s3.url).host}/${bucket}/chorus?region=${region}&tls=0` }
}

const kinds: [string, () => Store, () => Record<string, string>][] = [
  ['the data folder', () => openFileStore(`${line.dataDir}/files`), () => ({})],
  ['an S3 store', () => openS3Store(s3.settings, { waits: [] }), () => settingsOf(s3)],
]

describe.each(kinds)('files check, with files in %s', (_kind, open, environment) => {
  const check = async (more = '') => {
    const output: string[] = []
    const args = `files check${more}`
    try {
      await line.chorus(args, environment(), (text) => output.push(text))
      return { output: output.join('\n'), failed: '' }
    } catch (error) {
      return { output: output.join('\n'), failed: (error as Error).message }
    }
  }

  test('reports nothing at first, then each damaged file with account and asset', async () => {
    await ownerQuery(line.databaseUrl, 'delete from media')
    await ownerQuery(line.databaseUrl, 'delete from stored_files')
    const [ada = '', bea = ''] = accounts
    const store = open()
    await asset(store, ada)
    await asset(store, bea)
    expect(await check()).toMatchObject({
      failed: '',
      output: expect.stringMatching(/Checked 2 files, 0\.6 MiB\. Nobody refers to: 0/),
    })

    const gone = await asset(store, ada, () => undefined)
    const short = await asset(store, bea, (bytes) => bytes.subarray(1))
    const changed = await asset(store, bea, (bytes) => {
      const other = Buffer.from(bytes)
      other[150_000] = (other[150_000] ?? 0) ^ 1
      return other
    })
    await store.put(`${ada}/${'0'.repeat(64)}`, only(Buffer.from('stray')), 5, 'image/png')
    const all = await check()
    expect(all.output).toContain(`${ada}  ${gone}  missing`)
    expect(all.output).toContain(`${bea}  ${short}  has 299999 bytes instead of 300000`)
    expect(all.output).toContain(`${bea}  ${changed}  has other content`)
    expect(all.output).toContain(`${ada}/${'0'.repeat(64)}  nobody refers to it`)
    expect(all.failed).toBe('Missing or damaged: 3 of 5 files.')
    const one = await check(` --account ${ada}`)
    expect(one.failed).toBe('Missing or damaged: 1 of 2 files.')
    expect(one.output).not.toContain(bea)
    await expect(line.chorus('files check --account 001nobody000000', environment())).rejects.toThrow(
      'There is no account',
    )
  })
})
